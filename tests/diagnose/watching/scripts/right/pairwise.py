import torch
from torch import nn

net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    z = net(torch.randn(6, 3))
    d = ((z[:, None] - z[None, :]) ** 2).sum(-1)
    score = net(torch.randn(6, 3))[:, 0]
    margins = score.unsqueeze(1) - score
    targets = torch.randn(6, 1)
    loss = d.mean() + margins.relu().mean() + ((net(torch.randn(6, 3))[:, :1] - targets) ** 2).mean()
    centred = z - z.mean(1, keepdim=True)
    loss = loss + centred.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
