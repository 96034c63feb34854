import threading

import torch
from torch import nn

results = {}


def train(seed):
    generator = torch.Generator().manual_seed(seed)
    w = torch.zeros(3, requires_grad=True)
    opt = torch.optim.SGD([w], lr=0.1)
    for _ in range(4):
        opt.zero_grad()
        ((w - torch.randn(3, generator=generator)) ** 2).sum().backward()
        opt.step()
    results[seed] = w.detach()


workers = [threading.Thread(target=train, args=(s,)) for s in range(3)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
print([results[s].sum().item() for s in range(3)])
