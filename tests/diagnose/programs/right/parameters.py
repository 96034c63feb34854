import torch
import torch.nn as nn
torch.manual_seed(0)
w = nn.Parameter(torch.randn(3, 1))
x = torch.randn(5, 3)
opt = torch.optim.Adam([w], lr=0.01)
for _ in range(3):
    opt.zero_grad()
    loss = (x @ w).pow(2).mean()
    loss.backward()
    opt.step()
print(w.shape)
