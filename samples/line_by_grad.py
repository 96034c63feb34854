# agx trace samples/line_by_grad.py
# python samples/line_by_grad.py
# shows: (tensor(3.), tensor(2.), tensor(1.))
# y = w*x + b, its gradients asked for by name: torch.autograd.grad leaves .grad alone.
import torch

x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)

y = w * x + b
grads = torch.autograd.grad(y, [x, w, b])
print(y.item())
print(grads)
assert y == 7 and x.grad is None
assert grads[0] == 3 and grads[1] == 2 and grads[2] == 1
