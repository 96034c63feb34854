# expect: AGX421 error 5
# fix: [w]
import torch
w = torch.ones(3, requires_grad=True)
opt = torch.optim.SGD(w, lr=0.1)
