# expect: AGX422 warning 8
import torch
w = torch.tensor(1.0)
v = torch.tensor(3.0, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
loss = (w * v) ** 2
loss.backward()
opt.step()
