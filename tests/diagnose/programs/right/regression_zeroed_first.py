import torch
torch.manual_seed(0)
X = torch.randn(20, 3)
y = X @ torch.tensor([[2.0], [-3.0], [1.5]]) + 0.5
w = torch.zeros(3, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(30):
    if w.grad is not None:
        w.grad.zero_()
        b.grad.zero_()
    loss = torch.mean((X @ w + b - y) ** 2)
    loss.backward()
    w.data -= 0.1 * w.grad.data
    b.data -= 0.1 * b.grad.data
print(loss.item())
