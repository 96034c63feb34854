# agx trace samples/creation.py
# python samples/creation.py
# shows: tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
# shows: tensor([0, 2, 4, 6, 8])
# Ways to make a tensor, and the dtype and shape that each comes out with.
import torch

# From numbers: whole ones give int64, a single point makes all of them float32.
grid = torch.tensor([[1, 2, 3], [4, 5, 6]])
assert grid.dtype == torch.int64 and grid.shape == (2, 3)
assert torch.tensor([1, 2.0]).dtype == torch.float32

# From a shape.
assert torch.equal(torch.zeros(2, 3) + 1, torch.ones(2, 3))
sevens = torch.full((2, 3), fill_value=7)
assert sevens.dtype == torch.int64  # 7.0 would have made it float32
assert torch.eye(3).trace() == 3

# From a range: arange leaves the end out, linspace keeps it.
evens = torch.arange(0, 10, step=2)
quarters = torch.linspace(0, 1, steps=5)
print(evens)
print(quarters)
assert evens.tolist() == [0, 2, 4, 6, 8]
assert quarters.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]

# Like another: its shape, dtype and device are taken over.
assert torch.zeros_like(grid).dtype == torch.int64
assert torch.full_like(quarters, 7).shape == (5,)

# By chance: a seed makes it repeatable.
torch.manual_seed(1)
first = torch.randn(4)
torch.manual_seed(1)
again = torch.randn(4)
assert torch.equal(first, again)
assert not torch.equal(first, torch.randn(4))
assert torch.rand(100).min() >= 0 and torch.rand_like(first).max() < 1

order = torch.randperm(10)
assert torch.equal(order.sort().values, torch.arange(10))  # each number once
