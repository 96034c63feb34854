# expect: AGX410 warning 9
# fix: x.grad = None; prints 4, 12
import torch
x = torch.tensor(2.0, requires_grad=True)
y1 = x ** 2
y1.backward()
print(x.grad)
y2 = x ** 3
y2.backward()
print(x.grad)
