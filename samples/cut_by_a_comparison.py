# agx trace samples/cut_by_a_comparison.py
# python samples/cut_by_a_comparison.py
# shows: nondifferentiable-op-in-loss
# shows: truth values
# The accuracy is no loss: it changes in jumps, and the weights get nothing from it.
import torch

w = torch.tensor([0.3, -0.7], requires_grad=True)
b = torch.tensor(0.1, requires_grad=True)
x = torch.tensor([[1.0, 2.0], [3.0, 1.0]])
right = ((x @ w > 0).float() == torch.tensor([1.0, 0.0])).float()
loss = (1 - right.mean()) + b**2
loss.backward()
print(w.grad, b.grad)
