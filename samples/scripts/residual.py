"""A plain training script: its forward changes in place what backward needs. For `agx diagnose`."""

import sys

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.inner = nn.Linear(size, size)
        self.outer = nn.Linear(size, size)

    def forward(self, x):
        h = torch.sigmoid(self.inner(x))
        skip = h
        h = self.outer(h)
        skip += x
        return h + skip


size = int(sys.argv[1]) if len(sys.argv) > 1 else 8
torch.manual_seed(0)
net = nn.Sequential(Block(size), nn.Linear(size, 1))
loss = net(torch.randn(4, size)).pow(2).mean()
print(f"loss {loss.item():.4f}")
loss.backward()
