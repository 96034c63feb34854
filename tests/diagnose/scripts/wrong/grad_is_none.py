# expect: grad-is-none
import math

import torch
from torch import nn

net = nn.ModuleDict({"a": nn.Linear(3, 1), "b": nn.Linear(3, 1)})
net["a"](torch.randn(4, 3)).sum().backward()
norm = math.sqrt(sum(p.grad.norm().item() ** 2 for p in net.parameters()))
