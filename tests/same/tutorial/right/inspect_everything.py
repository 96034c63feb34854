import torch


def info(name, t):
    print(f"{name:>6}: shape={tuple(t.shape)}, dtype={t.dtype}, grad={t.requires_grad}, leaf={t.is_leaf}")


a = torch.rand(2, 2)
b = torch.rand(2, 2, requires_grad=True)
c = a + b
d = c.detach()
info("a", a)
info("b", b)
info("c", c)
info("d", d)
print("NaNs:", torch.isnan(c).sum().item(), "Infs:", torch.isinf(c).sum().item())
print("range ok:", c.min().item() >= 0, c.max().item() <= 2)
