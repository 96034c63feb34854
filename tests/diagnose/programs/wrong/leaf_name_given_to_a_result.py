# expect: AGX417 error 10
# fix: .detach().requires_grad_()
import torch
w = torch.randn(2)
w = w.requires_grad_().to(torch.float64) * 0.1
x = torch.tensor([1.0, 2.0], dtype=torch.float64)
loss = (w * x).sum()
loss.backward()
with torch.no_grad():
    w -= 0.1 * w.grad
