import torch

def model(x, w, b):
    return x @ w + b

def mse(pred, target):
    return ((pred - target) ** 2).mean()

x = torch.tensor([[1.0], [2.0]])
target = torch.tensor([[2.0], [4.0]])
w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for _ in range(5):
    loss = mse(model(x, w, b), target)
    loss.backward()
    with torch.no_grad():
        for p in [w, b]:
            p -= 0.05 * p.grad
            p.grad.zero_()
print(loss.item())
