# expect: nondifferentiable-op-in-loss
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Linear(3, 1)
out = torch.sigmoid(net(torch.randn(4, 3)))
hard = (out > 0.5).float()
loss = F.mse_loss(hard, torch.ones(4, 1))
loss.backward()
