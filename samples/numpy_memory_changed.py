# agx trace samples/numpy_memory_changed.py
# python samples/numpy_memory_changed.py
# shows: data-attribute-edit
# shows: should be [2, 4]
# The array has the memory of x, and torch does not see what NumPy writes there.
import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**2).sum()
array = x.detach().numpy()
array[:] = 10.0
y.backward()
print(x.grad)
