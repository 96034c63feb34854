# expect: AGX505 warning 4
import torch
x = torch.tensor([3.0, 5.0], dtype=torch.float16, requires_grad=True)
y = (x * 1e4 * 1e-4 * 1e-4).sum()
y.backward()
