import torch

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.sigmoid(a)
b += 1
print("changed b")
b.sum().backward()
