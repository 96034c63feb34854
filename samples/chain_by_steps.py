# agx trace samples/chain_by_steps.py
# python samples/chain_by_steps.py
# shows: -2.6146
# The chain rule with every factor looked at: dz/dx = dz/du * du/dx.
import torch

x = torch.tensor(2.0, requires_grad=True)
u = x**2
u.retain_grad()  # a value in the middle keeps its gradient only when asked to
z = torch.sin(u)
z.backward()

print(round(z.item(), 4))
print(round(u.grad.item(), 4))  # dz/du = cos(u)
print(round(x.grad.item(), 4))  # times du/dx = 2*x = 4
assert abs(z.item() + 0.7568) < 1e-4
assert abs(u.grad.item() + 0.6536) < 1e-4
assert abs(x.grad.item() + 2.6146) < 1e-4
assert x.grad == u.grad * 4
