# expect: AGX419 warning 8
# fix: w * x
import torch
w = torch.tensor(1.0, requires_grad=True)
x = torch.tensor([1.0, 2.0])
pred = (w * x).detach()
loss = ((pred - 1) ** 2).mean()
loss.requires_grad_()
loss.backward()
print(w.grad)
