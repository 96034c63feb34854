# expect: optimizer-nonleaf
import torch

z = torch.randn(1, 8, requires_grad=True).double()
opt = torch.optim.Adam([z], lr=0.1)
