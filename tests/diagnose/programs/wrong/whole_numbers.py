# expect: AGX404 error 3
import torch
x = torch.tensor([1, 2, 3], requires_grad=True)
