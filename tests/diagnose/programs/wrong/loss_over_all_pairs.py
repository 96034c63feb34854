# expect: AGX407 warning 9
# fix: t[:, None]
import torch
torch.manual_seed(0)
X = torch.randn(20, 3)
t = X @ torch.tensor([1.0, 2.0, 3.0])
w = torch.zeros(3, 1, requires_grad=True)
pred = X @ w
loss = ((pred - t) ** 2).mean()
loss.backward()
