# expect: AGX402 error 7
# fix: w -= 0.1*w.grad; w.grad = None
import torch
w = torch.tensor(1.0, requires_grad=True)
for i in range(3):
    loss = (w*2-1)**2
    loss.backward()
    with torch.no_grad():
        w = w - 0.1*w.grad
