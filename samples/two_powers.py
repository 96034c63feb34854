# agx trace samples/two_powers.py
# python samples/two_powers.py
# shows: AddBackward0
# A sum of two powers: the graph that torch keeps while it computes, and what backward makes of it.
import torch

x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)

z = x**2 + y**3
print(z.item(), z.grad_fn)

z.backward()
print(x.grad)  # 2*x
print(y.grad)  # 3*y**2
assert (z.item(), x.grad.item(), y.grad.item()) == (31.0, 4.0, 27.0)
