# expect: backward-hook-inplace-module
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Linear(3, 3)

    def forward(self, x):
        out = self.conv(x)
        out += x
        return out


net = Block()
net.conv.register_full_backward_hook(lambda m, gi, go: None)
net(torch.randn(4, 3, requires_grad=True)).sum().backward()
