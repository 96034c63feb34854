# expect: checkpoint-reentrant-no-grad-input
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        self.b = nn.Linear(3, 1)

    def forward(self, x):
        h = checkpoint(self.a, x, use_reentrant=True)
        return checkpoint(self.b, h, use_reentrant=True)


Net()(torch.randn(4, 3)).sum().backward()
