# expect: recurrent-state-not-detached
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRUCell(3, 4)
        self.out = nn.Linear(4, 1)
        self.memory = torch.zeros(2, 4)

    def forward(self, x):
        self.memory = self.gru(x, self.memory)
        return self.out(self.memory)


net = Net()
opt = torch.optim.Adam(net.parameters())
for _ in range(3):
    loss = net(torch.randn(2, 3)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
