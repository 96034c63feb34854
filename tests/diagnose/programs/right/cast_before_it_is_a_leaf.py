import torch
w = torch.ones(3).double().requires_grad_()
x = torch.arange(3, dtype=torch.float64)
(w * x).sum().backward()
print(w.grad)
i = torch.arange(3)
print((i * 2.5).dtype)
