# expect: numpy-reduction-on-graph-tensors
import numpy as np
import torch
from torch import nn

net = nn.Linear(3, 1)
losses = [net(torch.randn(4, 3)).mean() for _ in range(3)]
loss = np.mean(np.array(losses))
