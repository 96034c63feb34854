# expect: nonleaf-grad-access
import torch

x = torch.randn(3, requires_grad=True)
y = x * 2
y.sum().backward()
print(y.grad)
