# expect: AGX415 warning 7
# fix: line 7 moved behind line 8, the backward
import torch
q = torch.linspace(0.1, 1, 5, requires_grad=True)
s = q.sqrt()
loss = (s ** 3).sum()
s.data.fill_(1.0)
loss.backward()
print(q.grad)
