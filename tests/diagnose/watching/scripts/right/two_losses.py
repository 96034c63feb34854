import torch
from torch import nn

shared, a, b = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 3)
opt = torch.optim.Adam([*shared.parameters(), *a.parameters(), *b.parameters()])
running = 0.0
losses = []
for _ in range(4):
    h = shared(torch.randn(5, 4)).relu_()
    first = nn.functional.smooth_l1_loss(a(h).squeeze(-1), torch.randn(5))
    second = nn.functional.cross_entropy(b(h), torch.randint(3, (5,)))
    opt.zero_grad(set_to_none=False)
    first.backward(retain_graph=True)
    second.backward()
    opt.step()
    running = 0.9 * running + 0.1 * (first.item() + second.item())
    losses.append(first.detach())
