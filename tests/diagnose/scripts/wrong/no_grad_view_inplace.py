# expect: no-grad-view-inplace
import torch
from torch import nn

pos = nn.Parameter(torch.zeros(4, 3))
with torch.no_grad():
    first = pos[:1]
first += 1
