import numpy as np
import torch

buf = np.zeros(4, dtype=np.float32)
ring = np.zeros((3, 4), dtype=np.float32)
x, rows = torch.from_numpy(buf), torch.from_numpy(ring)
w = torch.ones(4, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
for i in range(5):
    buf[:] = np.arange(4) + i
    ring[i % 3] = buf
    loss = ((w * x * rows[i % 3]) ** 2).sum()
    ring[(i + 1) % 3] = -1
    opt.zero_grad()
    loss.backward()
    opt.step()
