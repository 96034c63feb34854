# expect: AGX402 error 6
# fix: create_graph=True
import torch
x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(x ** 3, x)
g.backward()
