# expect: AGX105 error 6
# fix: next_functions
import torch
x = torch.tensor(2.0, requires_grad=True)
y = x**2
print(y.grad_fn.grad_fn)
