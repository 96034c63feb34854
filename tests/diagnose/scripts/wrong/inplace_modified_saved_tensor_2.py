# expect: inplace-modified-saved-tensor
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)

    def forward(self, x):
        h = torch.tanh(self.a(x))
        h[:, 0] = 0
        return h


net = Net()
net(torch.randn(4, 3)).sum().backward()
