# expect: AGX407 warning 8
# fix: y[:, None]
import torch
w = torch.ones(3, 1, requires_grad=True)
X = torch.randn(10, 3)
y = torch.randn(10).sign()
with torch.no_grad():
    hits = ((X @ w).sign() == y).float().mean().item()
    print(hits)
