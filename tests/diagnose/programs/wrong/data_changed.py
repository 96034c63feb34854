# expect: AGX415 warning 6
# fix: moved behind line
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x ** 2
x.data.fill_(10.0)
y.sum().backward()
print(x.grad)
