# expect: AGX403 error 6
# fix: v = x + w; line 7:  y = (v * 2) * 3
import torch
x = torch.tensor(3.0, requires_grad=True)
w = torch.tensor(2.0, requires_grad=True)
v = x.item() + w.item()
y = torch.tensor(v * 2) * 3
y.backward()
print(x.grad)
