import torch
from torch import nn


class Old(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {})

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.data.add_(p.grad.data, alpha=-0.01)


net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = Old(net.parameters())
seen, view = [], net[0].weight.detach().numpy()
for _ in range(6):
    loss = net(torch.randn(8, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    view *= 0.99
    seen.append(net[2].weight.detach().numpy().tolist())
