# expect: multi-view-inplace
import torch

x = torch.randn(4, 6, requires_grad=True)
a, b = (x * 1).chunk(2, dim=1)
a.mul_(b)
a.sum().backward()
