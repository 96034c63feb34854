import torch

X = torch.randn(10, 3)
w = torch.randn(4, 1, requires_grad=True)
pred = X @ w
print(pred.shape)
