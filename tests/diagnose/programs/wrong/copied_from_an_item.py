# expect: AGX403 error 5
# fix: y = x ** 2
import torch
x = torch.tensor(3.0, requires_grad=True)
y = torch.tensor(x.item() ** 2)
y.backward()
print(x.grad)
