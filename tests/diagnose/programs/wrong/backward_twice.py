# expect: AGX411 error 7
# fix: y.backward(retain_graph=True)
import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3
y.backward()
y.backward()
