# agx trace samples/backward_of_a_vector.py
# python samples/backward_of_a_vector.py
# shows: nonscalar-loss-backward
# shows: (2,)
# status: 1
# raises: RuntimeError
# A gradient is of one number, and this loss has two.
import torch

w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = w**2
loss.backward()
