import torch
from torch import nn

torch.manual_seed(1)
G = nn.Sequential(nn.Linear(2, 16), nn.ReLU(True), nn.BatchNorm1d(16), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 1))
optG, optD = torch.optim.Adam(G.parameters(), 1e-3), torch.optim.Adam(D.parameters(), 1e-3)
bce = nn.BCEWithLogitsLoss()
for i in range(6):
    real = torch.randn(8, 2) + 3
    D.zero_grad()
    errD_real = bce(D(real).view(-1), torch.ones(8))
    errD_real.backward()
    fake = G(torch.randn(8, 2))
    errD_fake = bce(D(fake.detach()).view(-1), torch.zeros(8))
    errD_fake.backward()
    optD.step()
    G.zero_grad()
    errG = bce(D(fake).view(-1), torch.ones(8))
    errG.backward()
    optG.step()
