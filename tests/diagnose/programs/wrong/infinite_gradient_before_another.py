# expect: AGX502 warning 5
# fix: torch.sqrt(x.clamp(min=1e-12))
import torch
x = torch.tensor(0.0, requires_grad=True)
y = torch.sqrt(x)
y.backward()
a = torch.tensor(1.0, requires_grad=True)
b = a ** 2
b.backward()
print(x.grad, a.grad)
