# expect: AGX402 error 7
# fix: create_graph=True
import torch
x = torch.tensor(3.0, requires_grad=True)
y = x**3
y.backward()
x.grad.backward()
