# expect: AGX502 warning 11
# fix: lr = 0.001
import torch
torch.manual_seed(0)
X = torch.randn(50, 3) * 10
y = X @ torch.tensor([[2.0], [-3.0], [1.5]])
w = torch.zeros(3, 1, requires_grad=True)
lr = 0.1
opt = torch.optim.SGD([w], lr=lr)
for epoch in range(40):
    loss = ((X @ w - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
