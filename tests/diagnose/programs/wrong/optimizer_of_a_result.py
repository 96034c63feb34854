# expect: AGX421 error 5
# fix: .detach().requires_grad_()
import torch
w = torch.ones(3, requires_grad=True) * 0.1
opt = torch.optim.SGD([w], lr=0.1)
