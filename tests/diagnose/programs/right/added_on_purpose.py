import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
for factor in [1.0, 2.0, 3.0]:
    (x * factor).sum().backward()
print(x.grad)  # tensor([6., 6.])
