# expect: AGX418 error 6
# fix: y = y.detach()
import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 2
y.requires_grad = False
