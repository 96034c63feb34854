# agx trace samples/saved_value_changed.py
# python samples/saved_value_changed.py
# shows: inplace-modified-saved-tensor
# shows: SigmoidBackward0 kept its result
# status: 1
# raises: RuntimeError
# The gradient of the sigmoid is computed from its result, which is another one by then.
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
h = torch.sigmoid(w)
h += 1
h.sum().backward()
