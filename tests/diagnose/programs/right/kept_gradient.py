import torch
x = torch.tensor(2.0, requires_grad=True)
u = x ** 2
u.retain_grad()
z = torch.sin(u)
z.backward()
print(u.grad)  # tensor(-0.6536)
print(x.grad)  # tensor(-2.6146)
