# expect: requires-grad-on-nonleaf
import torch
from torch import nn

net = nn.Linear(3, 1)
out = net(torch.randn(4, 3))
out.requires_grad = False
