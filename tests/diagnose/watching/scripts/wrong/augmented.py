# AGX409
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(5, 5)
    def forward(self, x):
        gate = torch.sigmoid(self.lin(x))  # <- needed by 0

        y = gate * x.exp()  # <- needed by 0

        gate *= 0.5  # <- changed
        return y + gate


net = nn.Sequential(Gate(), nn.Flatten(), nn.Linear(5, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.randn(4, 5, requires_grad=True)).mean()
loss.backward()
opt.step()
