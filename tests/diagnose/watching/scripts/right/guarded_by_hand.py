import torch

w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
u = torch.ones(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.01)
for i in range(5):
    x = torch.zeros(3) if i in (2, 4) else torch.ones(3)
    loss = torch.sqrt((w * x).sum())
    opt.zero_grad(set_to_none=False)
    loss.backward()
    g = w.grad
    if (g != g).any():
        w.grad.zero_()
        continue
    opt.step()
    torch.sqrt((v * x).sum()).backward()
    with torch.no_grad():
        if v.grad.sum() == v.grad.sum():
            v -= 0.1 * v.grad
    v.grad = None
    (g,) = torch.autograd.grad(torch.sqrt((u * x).sum()), [u])
    if bool((g == g).all()):
        u.data -= 0.1 * g
for i in (1.0, 0.0, 1.0):
    torch.sqrt((v * i).sum()).backward()
    if v.grad.sum() < 10:
        v.data -= 0.1 * v.grad
    v.grad = None
    (g,) = torch.autograd.grad(torch.sqrt((u * i).sum()), [u])
    if g.sum() < 10:
        u.data -= 0.1 * g
