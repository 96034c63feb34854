# agx trace samples/gradients_never_cleared.py
# python samples/gradients_never_cleared.py
# shows: zero-grad-missing
# shows: opt.zero_grad()
# Each step uses the gradients of all the rounds before it as well.
import torch

w = torch.tensor(2.0, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    loss = (w - 1) ** 2
    loss.backward()
    opt.step()
print(w)
