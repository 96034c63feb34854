# agx trace samples/shapes.py
# python samples/shapes.py
# shows: view does not copy, reshape may
# One piece of memory in several shapes, and where a copy has to be made.
import torch

x = torch.arange(12.0)
grid = x.view(3, 4)
grid[0, 0] = 100
assert x[0] == 100  # a view is another way to look at the same numbers
assert grid.data_ptr() == x.data_ptr()

# Dimensions of size 1 go and come.
y = torch.randn(1, 3, 1, 4)
assert y.squeeze().shape == (3, 4)
assert y.squeeze(dim=2).shape == (1, 3, 4)
assert y.squeeze().unsqueeze(0).shape == (1, 3, 4)

# Dimensions change places; no number moves, so the memory is no longer in one piece.
turned = grid.T
assert turned.shape == (4, 3) and turned.stride() == (1, 4)
assert torch.equal(turned, grid.transpose(0, 1)) and torch.equal(turned, grid.permute(1, 0))
assert turned.data_ptr() == x.data_ptr() and not turned.is_contiguous()

print("view does not copy, reshape may")
try:
    turned.view(12)
except RuntimeError as err:
    print(err)
flat = turned.reshape(12)  # a copy here, since a view cannot be
assert flat.data_ptr() != x.data_ptr()
assert torch.equal(flat, turned.contiguous().view(12))
