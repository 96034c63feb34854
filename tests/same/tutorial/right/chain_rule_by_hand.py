import torch
import math

x = torch.tensor(2.0, requires_grad=True)

# forward
u = x ** 2
u.retain_grad()
z = torch.sin(u)

# backward
z.backward()

manual = math.cos(x.item() ** 2) * 2 * x.item()
print(f"u     = {u.item():.4f}")
print(f"z     = {z.item():.4f}")
print(f"dz/du = {u.grad.item():.4f}")
print(f"dz/dx = {x.grad.item():.4f}  (by hand: {manual:.4f})")
print("match:", abs(manual - x.grad.item()) < 1e-6)
