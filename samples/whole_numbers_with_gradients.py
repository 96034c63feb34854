# agx trace samples/whole_numbers_with_gradients.py
# python samples/whole_numbers_with_gradients.py
# shows: integer-requires-grad
# status: 1
# raises: RuntimeError
# Whole numbers have no slope.
import torch

w = torch.tensor([1, 2], requires_grad=True)
