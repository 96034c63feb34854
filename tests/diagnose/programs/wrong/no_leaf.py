# expect: AGX402 error 6
# fix: torch.tensor([1.0, 2.0], requires_grad=True)
import torch
x = torch.tensor([1.0, 2.0])
y = (x ** 2).sum()
y.backward()
print(x.grad)
