# expect: AGX417 error 9
# fix: with torch.no_grad(): w -= 0.1 * w.grad
import torch
w = torch.tensor(1.0, requires_grad=True)
for step in range(3):
    loss = (w - 3) ** 2
    loss.backward()
    w = w - 0.1 * w.grad
    w.grad.zero_()
    print(w)
