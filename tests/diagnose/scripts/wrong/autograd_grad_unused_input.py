# expect: autograd-grad-unused-input
import torch
from torch import nn

net = nn.Linear(3, 1)
x = torch.randn(4, 3, requires_grad=True)
y = torch.randn(4, 3, requires_grad=True)
g = torch.autograd.grad(net(x).sum(), [x, y])
