# agx trace samples/one_leaf_two_ways.py
# python samples/one_leaf_two_ways.py
# shows: MulBackward0
# shows: tensor(2.5839)
# x is used twice: it stands once in the graph, and gets the sum of both gradients.
import torch

x = torch.tensor(2.0, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)

product = x * y
wave = torch.sin(x)
z = product + wave
print(product.grad_fn, wave.grad_fn, z.grad_fn)

z.backward()
print(x.grad)  # y from the product, cos(x) from the wave
print(y.grad)
assert torch.isclose(x.grad, (y + torch.cos(x)).detach()) and y.grad == 2
