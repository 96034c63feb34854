# expect: AGX409 error 7
# fix: z = y.add(1)
import torch
x = torch.ones(3, requires_grad=True)
y = torch.exp(x)
z = y.add_(1)
(z*2).sum().backward()
