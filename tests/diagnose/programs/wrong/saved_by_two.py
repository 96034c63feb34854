# expect: AGX409 error 8
# fix: h = h.mul(2)
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = torch.sigmoid(x)
z = h ** 2
h.mul_(2)
(z.sum() + h.sum()).backward()
