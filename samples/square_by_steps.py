# agx trace samples/square_by_steps.py
# python samples/square_by_steps.py
# shows: 9.0 12.0 6.0
# e = (a*b + 1)**2, each step under a name of its own.
import torch

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)

product = a * b
c = product + 1
e = c**2
e.backward()

# de/dc = 2*c = 6, which the product hands on times b to a, and times a to b.
print(e.item(), a.grad.item(), b.grad.item())
assert (e.item(), a.grad.item(), b.grad.item()) == (9.0, 12.0, 6.0)
