# agx trace samples/numpy_bridge.py
# python samples/numpy_bridge.py
# shows: torch.float64
# NumPy and torch: the same memory, another default dtype.
import numpy as np
import torch

values = np.array([1.0, 2.0, 3.0])
shared = torch.from_numpy(values)
copied = torch.tensor(values)
print(shared.dtype)  # NumPy's numbers are float64
assert shared.dtype == torch.float64

values[0] = 100
print(shared[0].item(), copied[0].item())
assert shared[0] == 100 and copied[0] == 1

# Element by element the two dtypes get along; a product of matrices is an error.
weight = torch.randn(3)
assert (shared * weight).dtype == torch.float64
try:
    shared @ weight
except RuntimeError as err:
    print(err)
assert (shared.float() @ weight).dtype == torch.float32

# A tensor that requires grad is detached on its way to NumPy.
x = torch.ones(2, requires_grad=True)
try:
    x.numpy()
except RuntimeError as err:
    print(err)
print(x.detach().numpy())
