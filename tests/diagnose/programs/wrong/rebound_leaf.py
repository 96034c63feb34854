# expect: AGX417 error 8
# fix: w -= 0.1*w.grad
import torch
w = torch.tensor(1.0, requires_grad=True)
for i in range(3):
    loss = (w*2-1)**2
    loss.backward()
    w = w - 0.1*w.grad
    print(w)
