# expect: AGX403 error 4
import torch
x = torch.tensor([1.5, 2.5], requires_grad=True)
y = x.int() * 2
y.float().sum().backward()
