# expect: AGX407 warning 6
# fix: target[:, None]
import torch
pred = torch.randn(10, 1)
target = torch.randn(10)
print(f"loss {((pred - target) ** 2).mean().item():.4f}")
