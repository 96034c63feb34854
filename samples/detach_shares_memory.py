# agx trace samples/detach_shares_memory.py
# python samples/detach_shares_memory.py
# shows: 100.0
# detach gives the same numbers without the graph: not a copy of them.
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2

z = y.detach()
assert z.grad_fn is None and not z.requires_grad
assert z.data_ptr() == y.data_ptr()

z[0] = 100
print(y[0].item())  # y was written through z
assert y[0] == 100

# clone copies; detach().clone() is free of both the graph and the memory.
free = y.detach().clone()
free[0] = -1
print(y[0].item())
assert y[0] == 100 and free.data_ptr() != y.data_ptr()
