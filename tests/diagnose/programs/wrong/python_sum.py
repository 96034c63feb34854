# expect: AGX321 note 4
import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = sum(x)
y.backward()
