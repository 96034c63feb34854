import torch

x = torch.tensor(2.0, requires_grad=True)
y = x ** 3
y.backward()
assert x.grad.item() == 6.0, f"expected 6, got {x.grad.item()}"
