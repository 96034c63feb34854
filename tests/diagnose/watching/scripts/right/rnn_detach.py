import torch
from torch import nn

cell, head = nn.LSTMCell(4, 8), nn.Linear(8, 1)
opt = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
h, c = torch.zeros(2, 8), torch.zeros(2, 8)
for chunk in range(4):
    h, c = h.detach(), c.detach()
    loss = 0.0
    for t in range(5):
        h, c = cell(torch.randn(2, 4), (h, c))
        loss = loss + (head(h) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(cell.parameters(), 0.5)
    opt.step()
