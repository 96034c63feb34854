# expect: AGX505 warning 4
import torch
x = torch.tensor([200.0, 300.0], requires_grad=True)
y = torch.sigmoid(x).sum()
y.backward()
print(x.grad)
