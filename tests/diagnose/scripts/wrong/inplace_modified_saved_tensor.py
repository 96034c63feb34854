# expect: inplace-modified-saved-tensor
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid(), nn.ReLU(inplace=True), nn.Linear(3, 1))
net(torch.randn(4, 3)).sum().backward()
