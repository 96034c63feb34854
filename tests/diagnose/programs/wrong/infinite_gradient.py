# expect: AGX502 warning 4
import torch
x = torch.tensor(0.0, requires_grad=True)
y = torch.sqrt(x)
y.backward()
