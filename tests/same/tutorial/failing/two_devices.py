import torch

x = torch.ones(2, 3)
w = torch.ones(3, 2, device="meta")
print("multiplying")
print(x @ w)
