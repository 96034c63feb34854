# agx trace samples/backward_in_two_cells.py
# python samples/backward_in_two_cells.py
# shows: zero-grad-missing
# shows: tensor(-5.2291)
# Two cells of a notebook run one after the other: the second gradient is twice what it should be.
import torch

x = torch.tensor(2.0, requires_grad=True)

# first cell
z = torch.sin(x**2)
z.backward()
print(x.grad)

# second cell, which starts over with z but not with x.grad
u = x**2
z = torch.sin(u)
z.backward()
print(x.grad)
