# expect: amp-step-without-grads
import torch
from torch import nn

net = nn.Linear(3, 1)
other = nn.Linear(3, 1)
opt = torch.optim.SGD(other.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(net(torch.randn(2, 3)).mean()).backward()
scaler.step(opt)
