import torch
torch.manual_seed(1)
X = torch.randn(8, 2)
y = X.sum(dim=1, keepdim=True)
w = torch.zeros(2, 1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
opt.zero_grad()
for start in range(0, 8, 2):
    xb, yb = X[start:start + 2], y[start:start + 2]
    loss = ((xb @ w - yb) ** 2).mean() / 4
    loss.backward()
opt.step()
opt.zero_grad()
print(w)
