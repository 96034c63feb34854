import torch
from torch import nn

net = nn.Linear(3, 1)
for i in range(6):
    loss = (net(torch.randn(4, 3)) ** 2).sum()
    for p in net.parameters():
        if p.grad is not None:
            p.grad.data.zero_()
    loss.backward()
    for p in net.parameters():
        p.data.add_(-0.1 * p.grad.data)
