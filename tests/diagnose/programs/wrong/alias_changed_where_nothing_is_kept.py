# expect: AGX415 warning 7
# fix: z = y.detach().clone()
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x ** 2
z = y.detach()
z[0] = 100
out = (y * 3).sum()
out.backward()
print(x.grad)
