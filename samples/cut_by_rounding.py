# agx trace samples/cut_by_rounding.py
# python samples/cut_by_rounding.py
# shows: nondifferentiable-op-in-loss
# shows: flat between its jumps
# round is a staircase: there is a gradient, and it is 0 everywhere.
import torch

w = torch.tensor([0.3, 1.7], requires_grad=True)
loss = ((torch.round(w) - 2) ** 2).sum()
loss.backward()
print(w.grad)
