# expect: AGX416 warning 6
# fix: .detach().requires_grad_()
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True).double()
(x ** 2).sum().backward()
print(x.grad)
