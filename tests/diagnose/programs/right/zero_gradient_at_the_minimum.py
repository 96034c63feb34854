import torch
x = torch.tensor(0.0, requires_grad=True)
y = x ** 2
y.backward()
print(x.grad)  # tensor(0.)
a = torch.tensor([1.0, 2.0], requires_grad=True)
(a * 0).sum().backward()
print(a.grad)  # tensor([0., 0.])
