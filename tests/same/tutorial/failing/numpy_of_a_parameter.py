import torch

x = torch.randn(3, requires_grad=True)
print("as an array:", x.numpy())
