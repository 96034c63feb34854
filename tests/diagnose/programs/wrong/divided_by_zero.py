# expect: AGX502 warning 4
import torch
x = torch.tensor([1.0, 0.0], requires_grad=True)
y = (1/x).sum()
y.backward()
print(x.grad)
