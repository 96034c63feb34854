# expect: AGX416 warning 7
# fix: u.retain_grad()
import torch
x = torch.tensor(2.0, requires_grad=True)
u = x ** 2
torch.sin(u).backward()
print(u.grad)
