# expect: loss-has-no-grad-path
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Linear(3, 1)
for p in net.parameters():
    p.requires_grad = False
F.mse_loss(net(torch.randn(4, 3)), torch.randn(4, 1)).backward()
