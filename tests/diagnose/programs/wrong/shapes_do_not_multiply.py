# expect: AGX301 error 6
# fix: transposed
import torch
X = torch.randn(10, 3)
w = torch.randn(1, 3)
pred = X @ w
