# agx trace samples/cut_by_argmax.py
# python samples/cut_by_argmax.py
# shows: nondifferentiable-op-in-loss
# shows: argmax
# An index does not change when the scores change a little: they get no gradient.
import torch

scores = torch.tensor([0.2, 0.9, 0.4], requires_grad=True)
scale = torch.tensor(2.0, requires_grad=True)
loss = (scores.argmax() * scale - 1) ** 2
loss.backward()
print(scores.grad, scale.grad)
