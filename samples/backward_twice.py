# agx trace samples/backward_twice.py
# python samples/backward_twice.py
# shows: backward-twice-freed-graph
# shows: retain_graph=True
# status: 1
# raises: RuntimeError
# The first backward freed what the second one needs.
import torch

w = torch.tensor(2.0, requires_grad=True)
loss = w**3
loss.backward()
loss.backward()
