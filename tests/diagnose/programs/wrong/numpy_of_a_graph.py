# expect: AGX413 error 5
# fix: .detach()
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
print((x * 2).numpy())
