# agx trace samples/fit_a_line.py
# python samples/fit_a_line.py
# shows: w = 1.9125
# A straight line fitted by hand: forward, loss, backward, step, clear, 500 times.
import torch

torch.manual_seed(42)
X = torch.linspace(-1, 1, 100).reshape(100, 1)
y = 2 * X + 1 + 0.1 * torch.randn(100, 1)

w = torch.randn(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
lr = 0.01

for step in range(500):
    loss = ((X @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():  # the step itself is no part of the graph
        w -= lr * w.grad
        b -= lr * b.grad
    w.grad.zero_()
    b.grad.zero_()

print(f"w = {w.item():.4f}")
print(f"b = {b.item():.4f}")
print(f"loss = {loss.item():.4f}")
assert abs(w.item() - 1.9125) < 1e-3
assert abs(b.item() - 1.0059) < 1e-3
assert abs(loss.item() - 0.0121) < 1e-3
