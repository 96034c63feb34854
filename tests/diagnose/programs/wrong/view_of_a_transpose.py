# expect: AGX306 error 5
# fix: reshape
import torch
x = torch.randn(3, 5)
y = x.t().view(15)
