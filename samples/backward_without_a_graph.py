# agx trace samples/backward_without_a_graph.py
# python samples/backward_without_a_graph.py
# shows: loss-has-no-grad-path
# shows: requires_grad=True
# status: 1
# raises: RuntimeError
# Nothing that the loss was computed from requires grad.
import torch

w = torch.tensor([1.0, 2.0])
x = torch.tensor([3.0, 4.0])
loss = ((w * x) ** 2).sum()
loss.backward()
