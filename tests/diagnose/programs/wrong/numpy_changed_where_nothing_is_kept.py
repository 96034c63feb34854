# expect: AGX415 note 6
import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x + 1
array = y.detach().numpy()
array[0] = 5.0
(y * 3).sum().backward()
