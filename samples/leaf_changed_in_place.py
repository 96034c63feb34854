# agx trace samples/leaf_changed_in_place.py
# python samples/leaf_changed_in_place.py
# shows: leaf-inplace
# shows: no_grad
# status: 1
# raises: RuntimeError
# A step that is written without no_grad: torch would have to record it.
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w**2).sum()
loss.backward()
w -= 0.1 * w.grad
