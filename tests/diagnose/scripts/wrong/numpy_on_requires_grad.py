# expect: numpy-on-requires-grad
import torch
from torch import nn

net = nn.Linear(3, 1)
out = net(torch.randn(4, 3))
plot = out.numpy()
