# AGX451
import torch
from torch import nn


gen = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2))
dis = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1))
opt_d = torch.optim.Adam(dis.parameters())
opt_g = torch.optim.Adam(gen.parameters())
real, noise = torch.randn(8, 2), torch.randn(8, 2)
for _ in range(3):
    opt_d.zero_grad()
    opt_g.zero_grad()
    fake = gen(noise)
    score = dis(fake)  # <- needed by dis.0 dis.2
    d_loss = -dis(real).mean() + score.mean()
    g_loss = -score.mean()

    d_loss.backward(retain_graph=True)
    opt_d.step()  # <- changed
    g_loss.backward()
    opt_g.step()
