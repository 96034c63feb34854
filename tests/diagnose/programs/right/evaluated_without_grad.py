import torch
w = torch.tensor([[1.0], [2.0]], requires_grad=True)
X = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
y = torch.tensor([[1.0], [2.5]])
loss = ((X @ w - y) ** 2).mean()
loss.backward()
with torch.no_grad():
    pred = X @ w
    error = (pred - y).abs().mean()
    accuracy = ((pred - y).abs() < 0.1).float().mean()
print(pred.requires_grad, error.item(), accuracy.item())
