import torch

x = torch.tensor(2.0, requires_grad=True)

# first backward
y = x ** 2
y.backward()
print(x.grad)  # tensor(4.)

# cleared, then the second one
x.grad.zero_()
z = x ** 3
z.backward()
print(x.grad)  # tensor(12.)
