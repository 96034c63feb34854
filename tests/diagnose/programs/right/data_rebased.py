import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor(0.5, requires_grad=True)
for i in range(4):
    loss = ((w * 3 + b - 1) ** 2).mean()
    pass
    loss.backward()
    w.data = w.data - 0.01 * w.grad
    b.data = b.data - 0.01 * b.grad
    w.grad.data.zero_()
    b.grad.data.zero_()
print(w, b)
