import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 3))
opt = torch.optim.AdamW(net.parameters())
sched = torch.optim.lr_scheduler.StepLR(opt, 2)
every = 4
for i in range(12):
    loss = nn.functional.cross_entropy(net(torch.randn(5, 4)), torch.randint(3, (5,))) / every
    loss.backward()
    if (i + 1) % every == 0:
        opt.step()
        sched.step()
        opt.zero_grad()
