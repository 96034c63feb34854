# expect: AGX505 warning 4
import torch
x = torch.tensor([1e-5, 2e-5], dtype=torch.float16, requires_grad=True)
y = (x * x * 1e-4).sum()
y.backward()
print(x.grad)
