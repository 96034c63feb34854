# expect: backward-twice-freed-graph
import torch
from torch import nn

net = nn.Linear(3, 2)
out = net(torch.randn(4, 3)).sigmoid()
l1 = out.mean()
l2 = out.std()
l1.backward()
l2.backward()
