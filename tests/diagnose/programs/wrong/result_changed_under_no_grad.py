# expect: AGX415 warning 7
# fix: line 6:  y.mul_(10)
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
with torch.no_grad():
    y.mul_(10)
out = (y * 3).sum()
out.backward()
