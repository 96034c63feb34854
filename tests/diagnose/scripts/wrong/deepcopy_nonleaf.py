# expect: deepcopy-nonleaf
import copy

import torch
from torch import nn


class Agent:
    def __init__(self):
        self.net = nn.Linear(3, 1)
        self.value = self.net(torch.zeros(3))


snapshot = copy.deepcopy(Agent())
