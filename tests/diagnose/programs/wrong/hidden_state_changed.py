# expect: AGX409 error 11
# fix: h = h + 1
import torch
w = torch.ones(3, requires_grad=True)
h = torch.ones(3)
hs = []
for i in range(3):
    h = torch.tanh(w * h)
    h += 1
    hs.append(h)
torch.stack(hs).sum().backward()
