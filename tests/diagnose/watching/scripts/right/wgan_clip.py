import torch
from torch import nn

G, D = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
g, d = torch.optim.RMSprop(G.parameters()), torch.optim.RMSprop(D.parameters())
for i in range(4):
    for _ in range(2):
        d.zero_grad()
        (D(G(torch.randn(4, 2)).detach()).mean() - D(torch.randn(4, 2)).mean()).backward()
        d.step()
        for p in D.parameters():
            p.data.clamp_(-0.01, 0.01)
    g.zero_grad()
    (-D(G(torch.randn(4, 2))).mean()).backward()
    g.step()
