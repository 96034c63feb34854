# expect: AGX415 note 7
import torch
x = torch.tensor([0.5, 2.0], requires_grad=True)
y = x.exp()
y2 = y * 3
with torch.no_grad():
    y2.data.mul_(2.0)
(y2 ** 2).sum().backward()
