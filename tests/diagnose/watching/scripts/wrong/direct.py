# AGX409
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.act, self.out = nn.Linear(6, 6), nn.Sigmoid(), nn.Bilinear(6, 6, 6)
    def forward(self, x):
        h = self.act(self.lin(x))  # <- needed by 0.act
        h.mul_(2)  # <- changed
        return self.out(h, h)


net = nn.Sequential(Block(), nn.Linear(6, 1))
opt = torch.optim.Adam(net.parameters())
for _ in range(3):
    opt.zero_grad()
    loss = net(torch.randn(4, 6)).square().mean()
    loss.backward()
    opt.step()
