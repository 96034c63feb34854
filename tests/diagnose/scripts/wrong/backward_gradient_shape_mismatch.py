# expect: backward-gradient-shape-mismatch
import torch
from torch import nn

net = nn.Linear(3, 2)
out = net(torch.randn(4, 3))
out.backward(torch.ones(4))
