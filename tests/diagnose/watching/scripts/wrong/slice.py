# AGX409
import torch
from torch import nn


class Mask(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(6, 6)
    def forward(self, x):
        h = self.lin(x).softmax(-1)  # <- needed by 0
        keep = 2
        h[:, keep:] = 0  # <- changed
        return h


net = nn.Sequential(Mask(), nn.Linear(6, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for _ in range(2):
    loss = net(torch.randn(4, 6)).sum()
    loss.backward()
    opt.step()
    opt.zero_grad()
