# Our first gradient!
import torch
import matplotlib.pyplot as plt  # for the plots further down

x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)

z = x ** 2 + y ** 3
print("z =", z.item())
print("grad_fn:", z.grad_fn)

z.backward()

print(f"dz/dx = {x.grad}")   # dz/dx = 4.0
print(f"dz/dy = {y.grad}")   # dz/dy = 27.0
assert x.grad.item() == 4 and y.grad.item() == 27
