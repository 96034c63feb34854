# AGX409
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(5, 5)
        self.register_buffer("scratch", torch.zeros(4, 5))
    def forward(self, x):
        y = self.lin(x) * self.scratch  # <- needed by 0
        z = y.sin() * self.scratch  # <- needed by 0
        torch.mul(x, 2, out=self.scratch)  # <- changed
        return z


net = nn.Sequential(Scaled(), nn.Linear(5, 1))
opt = torch.optim.RMSprop(net.parameters())
loss = net(torch.randn(4, 5)).mean()
loss.backward()
opt.step()
