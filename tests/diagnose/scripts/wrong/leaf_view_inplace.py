# expect: leaf-view-inplace
from torch import nn

net = nn.Linear(3, 1)
net.weight[0, 0] = 1.0
