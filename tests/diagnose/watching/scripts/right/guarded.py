import torch
from torch import nn

net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(4):
    x = torch.rand(4, 2)
    if i == 2:
        x[0, 0] = float("inf")
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    if all(torch.isfinite(p.grad).all() for p in net.parameters()):
        opt.step()
