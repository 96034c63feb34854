import torch
x = torch.tensor(2.25, requires_grad=True)
y = x**4 - 3 * x**3
y.backward()
print(x.grad)  # tensor(0.)
w = torch.tensor(0.3, requires_grad=True)
z = (w * 3 - 0.9) ** 2 + (w - 0.3) ** 2
z.backward()
print(w.grad)
