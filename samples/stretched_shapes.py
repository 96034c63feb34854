# agx trace samples/stretched_shapes.py
# python samples/stretched_shapes.py
# shows: torch.Size([3, 4, 5])
# Two shapes are aligned at the right, and a dimension of size 1 is stretched to the other's.
import torch

a = torch.randn(3, 1, 5, requires_grad=True)
b = torch.randn(4, 5, requires_grad=True)
total = a + b
print(total.shape)
assert total.shape == (3, 4, 5)

# Whatever was stretched gets a gradient that is summed over its copies.
total.sum().backward()
assert a.grad.shape == (3, 1, 5) and a.grad[0, 0, 0] == 4
assert b.grad.shape == (4, 5) and b.grad[0, 0] == 3

# 4 against 5 at the last dimension, and neither is 1.
try:
    torch.randn(3, 5, 4) + torch.randn(3, 5)
except RuntimeError as err:
    print(err)

# A column less a row is every pair, which is seldom what was meant.
column, row = torch.randn(5, 1), torch.randn(5)
print((column - row).shape, (column - row[:, None]).shape)
assert (column - row).shape == (5, 5)
