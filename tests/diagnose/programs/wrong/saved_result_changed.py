# expect: AGX409 error 7
# fix: h = h + 1
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = torch.exp(x)
h += 1
h.sum().backward()
