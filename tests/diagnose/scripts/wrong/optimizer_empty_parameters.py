# expect: optimizer-empty-parameters
import torch
from torch import nn

net = nn.Linear(3, 1)
params = filter(lambda p: p.requires_grad, net.parameters())
print(sum(p.numel() for p in params))
opt = torch.optim.Adam(params)
