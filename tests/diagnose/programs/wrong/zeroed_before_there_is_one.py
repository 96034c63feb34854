# expect: AGX417 error 5
# fix: if x.grad is not None:
import torch
x = torch.tensor(2.0, requires_grad=True)
x.grad.zero_()
(x ** 2).backward()
