import torch
torch.manual_seed(0)
X = torch.randn(50, 2)
y = X[:, :1] * 3 - X[:, 1:] + 0.25
w = torch.zeros(2, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.1)
losses = []
for epoch in range(40):
    optimizer.zero_grad()
    loss = ((X @ w + b - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[0] > losses[-1])
