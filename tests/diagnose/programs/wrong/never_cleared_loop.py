# expect: AGX410 warning 8
# fix: w.grad = None
import torch
w = torch.tensor(5.0, requires_grad=True)
for epoch in range(5):
    loss = (w - 1) ** 2

    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
