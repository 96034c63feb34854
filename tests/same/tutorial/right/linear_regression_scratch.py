import torch
import matplotlib.pyplot as plt
import numpy as np

torch.manual_seed(42)

# ----- data: y = 2x + 1 + noise
X = torch.linspace(-1, 1, 100).reshape(-1, 1)
y = 2 * X + 1 + 0.1 * torch.randn(X.size())

# ----- parameters
w = torch.randn(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)

lr = 0.01
losses = []

for epoch in range(500):
    # forward
    y_hat = X @ w + b
    loss = torch.mean((y_hat - y) ** 2)

    # backward
    loss.backward()

    # update
    with torch.no_grad():
        w -= lr * w.grad
        b -= lr * b.grad

    # zero
    w.grad.zero_()
    b.grad.zero_()

    losses.append(loss.item())
    if epoch % 100 == 0:
        print(f"epoch {epoch:3d} | loss {loss.item():.4f}")

print(f"learned: w = {w.item():.4f}, b = {b.item():.4f}")
print("first and last loss:", round(losses[0], 4), round(losses[-1], 4))
