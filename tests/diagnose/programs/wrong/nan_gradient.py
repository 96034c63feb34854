# expect: AGX502 warning 4
import torch
x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), torch.zeros(2)).sum()
y.backward()
print(x.grad)
