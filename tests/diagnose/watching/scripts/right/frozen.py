import torch
from torch import nn

body = nn.Sequential(nn.Linear(4, 8), nn.Tanh())
head = nn.Linear(8, 2)
for p in body.parameters():
    p.requires_grad = False
model = nn.Sequential(body, head)
opt = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()))
for epoch in range(3):
    opt.zero_grad()
    nn.functional.cross_entropy(model(torch.randn(6, 4)), torch.randint(2, (6,))).backward()
    opt.step()
    if epoch == 1:
        for p in body.parameters():
            p.requires_grad_(True)
        opt.add_param_group({"params": body.parameters(), "lr": 1e-4})
