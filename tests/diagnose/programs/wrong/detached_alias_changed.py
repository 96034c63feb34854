# expect: AGX409 error 8
# fix: .detach().clone()
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = torch.exp(x)
z = y.detach()
z[0] = 100.0
y.sum().backward()
