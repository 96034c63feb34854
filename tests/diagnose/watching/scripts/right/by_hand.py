import torch

torch.manual_seed(42)
X = torch.linspace(-1, 1, 100).reshape(100, 1)
y = 2 * X + 1 + 0.1 * torch.randn(100, 1)
w = torch.randn(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(20):
    loss = ((X @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        b -= 0.01 * b.grad
    w.grad.zero_()
    b.grad.zero_()
print(w.item(), b.item())
