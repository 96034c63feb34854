import torch
from torch import nn
from torch.func import functional_call, grad, hessian, jvp, vmap

net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
params = {k: v.detach().clone() for k, v in net.named_parameters()}


def loss(params, x, y):
    return ((functional_call(net, params, (x,)) - y) ** 2).mean()


for _ in range(3):
    x, y = torch.randn(4, 2), torch.randn(4, 1)
    g = grad(loss)(params, x, y)
    per = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
    params = {k: p - 0.1 * g[k] for k, p in params.items()}
print(hessian(lambda v: (v**3).sum())(torch.ones(2)), jvp(torch.sin, (torch.ones(2),), (torch.ones(2),)))
