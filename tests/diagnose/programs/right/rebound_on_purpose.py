import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor(0.5, requires_grad=True)
for i in range(4):
    loss = ((w * 3 + b - 1) ** 2).mean()
    pass
    loss.backward()
    w = (w - 0.01 * w.grad).detach().requires_grad_(True)
    b = (b - 0.01 * b.grad).detach().requires_grad_(True)
print(w, b)
