# expect: leaf-inplace
from torch import nn

net = nn.Linear(3, 1)
net.weight.fill_(0.5)
