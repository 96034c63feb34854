# expect: detached-prediction-in-loss
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 1)

    def forward(self, x):
        y = self.a(x)
        return y.detach()


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def train(x, t):
    out = net(x)
    loss = F.mse_loss(out, t)
    opt.zero_grad()
    loss.backward()
    opt.step()


train(torch.randn(4, 3), torch.randn(4, 1))
