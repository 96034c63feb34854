# expect: inplace-on-expanded
import torch

mask = torch.zeros(3).expand(4, 3)
mask[0, 0] = 1
mask.add_(1)
