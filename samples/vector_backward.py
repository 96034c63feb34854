# agx trace samples/vector_backward.py
# python samples/vector_backward.py
# shows: grad can be implicitly created only for scalar outputs
# shows: tensor([2., 2., 2.])
# A vector has no single slope, so backward asks what each element counts.
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
try:
    y.backward()
except RuntimeError as err:
    print(err)

y.backward(gradient=torch.ones(3))
print(x.grad)
assert x.grad.tolist() == [2.0, 2.0, 2.0]

# The same: make one number of it first.
x.grad = None
(x * 2).sum().backward()
assert x.grad.tolist() == [2.0, 2.0, 2.0]
