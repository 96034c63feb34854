import torch

tensor = torch.ones(2, 3)
print(tensor, "\n")
tensor.add_(5)
print(tensor)
tensor[0, 0] = -1.
tensor[:, -1] *= 2
tensor.t_()
print(tensor, tensor.shape)
x = torch.zeros(3)
y = x          # same object
z = x.clone()  # a copy
x += 1
print(y, z, y is x)
