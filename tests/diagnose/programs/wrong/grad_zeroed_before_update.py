# expect: AGX424 warning 8
# fix: moved behind line 9
import torch
w = torch.tensor(1.0, requires_grad=True)
for i in range(3):
    loss = (w*2-1)**2
    loss.backward()
    w.grad.zero_()
    with torch.no_grad():
        w -= 0.1*w.grad
