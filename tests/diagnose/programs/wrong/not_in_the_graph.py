# expect: AGX406 error 6
# fix: allow_unused=True
import torch
x = torch.tensor(1.0, requires_grad=True)
y = torch.tensor(2.0, requires_grad=True)
g = torch.autograd.grad(x ** 2, [y])
