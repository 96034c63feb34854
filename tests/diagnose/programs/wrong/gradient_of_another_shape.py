# expect: AGX423 error 6
# fix: torch.ones_like(y)
import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y.backward(gradient=torch.ones(2))
