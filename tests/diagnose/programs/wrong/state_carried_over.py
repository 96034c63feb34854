# expect: AGX452 error 9
# fix: h = h.detach()
import torch
w = torch.tensor(0.5, requires_grad=True)
h = torch.tensor(1.0)
for t in range(3):
    h = torch.tanh(w * h)
    loss = h ** 2
    loss.backward()
