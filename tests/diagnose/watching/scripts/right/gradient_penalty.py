import torch
from torch import nn

D = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(D.parameters())
for i in range(4):
    x = torch.randn(8, 3, requires_grad=True)
    out = D(x)
    (gx,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    loss = out.mean() + 10 * ((gx.norm(2, dim=1) - 1) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
