import math

import torch

w = torch.ones(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
for i in range(6):
    x = torch.zeros(3) if i in (2, 5) else torch.rand(3)
    loss = torch.sqrt((w * x).sum()) + (w**2).sum()
    opt.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_([w], 1.0)
    if not math.isfinite(norm):
        continue
    opt.step()
