# expect: nonscalar-loss-backward
import torch
from torch import nn

crit = nn.MSELoss(reduction="none")
net = nn.Linear(3, 1)
loss = crit(net(torch.randn(4, 3)), torch.randn(4, 1))
loss.backward()
