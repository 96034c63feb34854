# agx trace samples/frozen_layer.py
# python samples/frozen_layer.py
# shows: None torch.Size([4, 1])
# A frozen part takes part in the forward, and gets no gradient.
import torch

torch.manual_seed(0)
body = torch.randn(4, 4, requires_grad=True)
head = torch.randn(4, 1, requires_grad=True)

body.requires_grad_(False)  # freeze it

out = (torch.randn(2, 4) @ body).tanh() @ head
out.sum().backward()
print(body.grad, head.grad.shape)
assert body.grad is None and head.grad.shape == (4, 1)
