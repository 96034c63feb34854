# expect: AGX411 error 7
# fix: y = x**2
import torch
x = torch.tensor(2.0, requires_grad=True)
y = x**2
for i in range(3):
    y.backward()
    x.grad = None
