import torch
from torch import nn


class VQ(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec = nn.Linear(4, 3), nn.Linear(3, 4)
        self.register_buffer("codes", torch.randn(5, 3))
        self.register_buffer("count", torch.zeros(5))

    def forward(self, x):
        z = self.enc(x)
        with torch.no_grad():
            index = torch.cdist(z, self.codes).argmin(1)
        q = self.codes[index]
        commit = (z - q).pow(2).mean()
        q = z + (q - z).detach()
        out = self.dec(q)
        with torch.no_grad():
            self.count.index_add_(0, index, torch.ones(len(index)))
            self.codes.mul_(0.99)
        return out, commit


vq = VQ()
opt = torch.optim.SGD(vq.parameters(), lr=0.05)
for _ in range(3):
    x = torch.randn(6, 4)
    out, commit = vq(x)
    loss = (out - x).pow(2).mean() + 0.25 * commit
    opt.zero_grad()
    loss.backward()
    opt.step()
