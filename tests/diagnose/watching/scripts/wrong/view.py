# AGX409
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.tanh = nn.Tanh()
    def forward(self, x):
        h = self.tanh(x)  # <- needed by 0.tanh
        rows = h.view(-1)
        out = h.exp() * h  # <- needed by 0
        with torch.no_grad():
            # a cheap clip, or so it seems
            rows.clamp_(-0.5, 0.5)  # <- changed
        return out


net = nn.Sequential(Block(), nn.Linear(6, 1))
x = torch.randn(4, 6, requires_grad=True)
net(x).sum().backward()
