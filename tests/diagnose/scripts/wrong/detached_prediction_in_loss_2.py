# expect: detached-prediction-in-loss
import torch
from torch import nn

net = nn.Linear(3, 1)
total = 0
for _ in range(3):
    total += net(torch.randn(4, 3)).mean().item()
loss = torch.tensor(total, requires_grad=False)
loss.backward()
