# expect: AGX415 note 5
import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y.data.fill_(7)
y.sum().backward()
