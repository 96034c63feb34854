# expect: AGX424 warning 9
# fix: moved behind line 10
import torch
w = torch.tensor(1.0, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for i in range(3):
    loss = (w*2-1)**2
    loss.backward()
    opt.zero_grad()
    opt.step()
