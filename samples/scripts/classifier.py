"""A plain script: its last layer is made for images of 28 x 28, another size may be given. For `agx diagnose`."""

import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.head = nn.Linear(4 * 26 * 26, 10)

    def forward(self, images):
        features = self.conv(images).relu().flatten(1)
        return self.head(features)


size = int(sys.argv[1]) if len(sys.argv) > 1 else 28
torch.manual_seed(0)
net = Net()
scores = net(torch.randn(2, 1, size, size))
print(scores.shape)
