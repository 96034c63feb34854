import torch

x = torch.tensor(2.0, requires_grad=True)

for i, power in enumerate([2, 3, 4]):
    if x.grad is not None:
        x.grad.zero_()
    y = x ** power
    y.backward()
    print(f"step {i}: d(x^{power})/dx = {x.grad.item():.1f}")
