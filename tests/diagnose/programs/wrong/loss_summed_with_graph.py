# expect: AGX420 warning 11
# fix: loss.item()
import torch
w = torch.tensor(1.0, requires_grad=True)
total = 0.0
for i in range(3):
    loss = (w * 2 - 1) ** 2
    loss.backward()
    w.grad = None

    total += loss
print(total / 3)
