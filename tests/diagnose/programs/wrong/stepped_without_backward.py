# expect: AGX417 error 6
import torch
w = torch.tensor(2.0, requires_grad=True)
loss = w ** 2
with torch.no_grad():
    w -= 0.1 * w.grad
