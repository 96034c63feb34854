# expect: integer-requires-grad
import torch
from torch import nn

ids = nn.Parameter(torch.arange(3))
