# expect: AGX420 warning 10
# fix: loss.item()
import torch
w = torch.tensor(1.0, requires_grad=True)
losses = []
for i in range(3):
    loss = (w * 2 - 1) ** 2
    loss.backward()
    w.grad = None
    losses.append(loss)
