# expect: gradcheck-single-precision
import torch
from torch import nn
from torch.autograd import gradcheck

net = nn.Linear(3, 2)
gradcheck(net, torch.randn(2, 3, requires_grad=True))
