# expect: AGX403 error 5
# fix: torch.stack
import torch
x = torch.tensor([1.,2.], requires_grad=True)
y = torch.tensor([x[0]*2, x[1]*3])
y.sum().backward()
