# agx trace samples/shapes_that_do_not_multiply.py
# python samples/shapes_that_do_not_multiply.py
# shows: matmul-shape-mismatch
# shows: (4,3)
# status: 1
# raises: RuntimeError
# The columns of one factor are the rows of the other.
import torch

x = torch.ones(4, 3)
w = torch.ones(2, 3, requires_grad=True)
out = x @ w
