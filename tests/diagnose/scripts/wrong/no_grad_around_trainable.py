# expect: no-grad-around-trainable
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Linear(3, 1)


@torch.no_grad()
def step(x, t):
    return F.mse_loss(net(x), t)


loss = step(torch.randn(4, 3), torch.randn(4, 1))
loss.backward()
