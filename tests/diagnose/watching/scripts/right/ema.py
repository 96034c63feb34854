import copy

import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Linear(8, 1))
slow = copy.deepcopy(net)
for p in slow.parameters():
    p.requires_grad_(False)
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, nesterov=True)
for i in range(4):
    x = torch.randn(8, 4)
    loss = (net(x) - slow(x)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for a, b in zip(slow.parameters(), net.parameters()):
            a.mul_(0.99).add_(b, alpha=0.01)
    for a, b in zip(slow.buffers(), net.buffers()):
        a.data.copy_(b.data)
