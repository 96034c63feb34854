# expect: AGX415 warning 6
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x ** 2
a = x.detach().numpy()
a[0] = 50.0
y.sum().backward()
