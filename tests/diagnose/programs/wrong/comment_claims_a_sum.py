# expect: AGX320 note 8
import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 2
y.backward()
z = x ** 3
z.backward()
print(x.grad)  # tensor(31.)
