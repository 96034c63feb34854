# expect: silent-loss-broadcast
import torch
from torch import nn

net = nn.Linear(3, 1)
loss = nn.L1Loss()(net(torch.randn(4, 3)), torch.randn(4))
loss.backward()
