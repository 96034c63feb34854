import torch
torch.manual_seed(0)
X = torch.randn(64, 2)
y = (X[:, 0] * X[:, 1] > 0).float()
W1 = (torch.randn(2, 8) * 0.5).requires_grad_()
b1 = torch.zeros(8, requires_grad=True)
W2 = (torch.randn(8, 1) * 0.5).requires_grad_()
b2 = torch.zeros(1, requires_grad=True)
params = [W1, b1, W2, b2]
opt = torch.optim.Adam(params, lr=0.05)
for epoch in range(30):
    h = torch.relu(X @ W1 + b1)
    logit = (h @ W2 + b2).squeeze(1)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logit, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    acc = ((logit > 0).float() == y).float().mean()
print(loss.item() < 0.7, acc.item() > 0.4)
