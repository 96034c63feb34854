import torch
from torch import nn

seen = []
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
net[0].register_forward_hook(lambda m, i, o: seen.append(o.detach().mean().item()))
net[2].register_full_backward_hook(lambda m, gi, go: None)
net[0].weight.register_hook(lambda g: g * 0.5)
net[0].bias.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.sum().item()))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    h = net[1](net[0](torch.randn(2, 3)))
    h.retain_grad()
    loss = net[2](h).sum()
    opt.zero_grad()
    loss.backward()
    seen.append(h.grad.sum().item())
    opt.step()
print(len(seen))
