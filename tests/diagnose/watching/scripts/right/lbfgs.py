import torch
from torch import nn

net = nn.Linear(3, 1)
X, y = torch.randn(20, 3), torch.randn(20, 1)
opt = torch.optim.LBFGS(net.parameters(), max_iter=5)


def closure():
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(X), y)
    loss.backward()
    return loss


for _ in range(3):
    opt.step(closure)
