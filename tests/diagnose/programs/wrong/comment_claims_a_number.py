# expect: AGX320 note 5
import torch
x = torch.tensor(2.0, requires_grad=True)
torch.sin(x ** 2).backward()
print("dz/dx:", x.grad.item())  # -0.6536 (chain rule)
