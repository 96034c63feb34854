# AGX415
import torch
from torch import nn


class Skip(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 8)
    def forward(self, x):
        h = torch.sigmoid(self.a(x))  # <- needed by 0
        out = self.b(h)  # <- needed by 0.b
        h.data.clamp_(0.4, 0.6)  # <- changed
        return out


net = nn.Sequential(Skip(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    opt.zero_grad(set_to_none=True)
    net(torch.randn(4, 8)).pow(2).mean().backward()
    opt.step()
