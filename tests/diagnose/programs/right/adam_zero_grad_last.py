import torch
target = torch.tensor([1.0, -1.0])
p = torch.zeros(2, requires_grad=True)
opt = torch.optim.Adam([p], lr=0.05)
for i in range(20):
    loss = (p - target).pow(2).sum()
    loss.backward()
    opt.step()
    opt.zero_grad()
print(p.detach())
