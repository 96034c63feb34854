# agx trace samples/indexing.py
# python samples/indexing.py
# shows: tensor([ 6.,  7.,  8.,  9., 10., 11.], grad_fn=<IndexBackward0>)
# Ways to pick elements; only those that were picked get a gradient.
import torch

x = torch.arange(12.0).reshape(3, 4).requires_grad_()

print(x[1])
print(x[-1, 2].item())
print(x[1:, ::2])
print(x[x > 5])
assert x[1:, ::2].tolist() == [[4.0, 6.0], [8.0, 10.0]]
assert x[x > 5].tolist() == [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]

# Two index tensors are read in pairs: x[0, 1] and x[1, 3].
pairs = x[torch.tensor([0, 1]), torch.tensor([1, 3])]
print(pairs)
assert pairs.tolist() == [1.0, 7.0]

# where picks from one of two, element by element.
large = torch.where(x > 9, x, 0.0)
assert large.sum() == 21

# An element that is picked twice gets both gradients.
loss = x[torch.tensor([0, 0, 2]), 3].sum()
loss.backward()
print(x.grad)
assert x.grad[0, 3] == 2 and x.grad[2, 3] == 1 and x.grad.sum() == 3
