# expect: AGX451 error 11
import torch
w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
x = torch.ones(1, 2, requires_grad=True)
first = (x @ w).sum()
second = (x @ w * x).sum()
first.backward()
opt.step()

second.backward()
