# expect: AGX411 error 9
# fix: u = x ** 2
import torch
x = torch.tensor(2.0, requires_grad=True)
u = x ** 2
a = torch.sin(u)
b = torch.cos(u)
a.backward()
b.backward()
