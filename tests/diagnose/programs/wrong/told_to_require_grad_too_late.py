# expect: AGX402 error 7
# fix: requires_grad=True
import torch
x = torch.ones(3)
y = x*2
x.requires_grad_(True)
y.sum().backward()
