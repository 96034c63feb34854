# expect: AGX417 error 7
# fix: call backward
import torch
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
(a*2).backward()
print(b.grad + 1)
