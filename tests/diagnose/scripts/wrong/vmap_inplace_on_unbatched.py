# expect: vmap-inplace-on-unbatched
import torch
from torch.func import vmap


def f(x, i):
    buf = torch.zeros(4)
    buf[0] = x.sum()
    return buf


vmap(f, in_dims=(0, None))(torch.randn(5, 3), 1)
