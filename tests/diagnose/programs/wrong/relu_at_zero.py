# expect: AGX503 note 4
import torch
x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
y = torch.relu(x).sum()
y.backward()
print(x.grad)  # tensor([0., 0., 1.])
