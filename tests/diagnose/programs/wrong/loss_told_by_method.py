# expect: AGX419 warning 4
import torch
w = torch.tensor([1.0, 2.0])
loss = (w ** 2).sum().requires_grad_()
loss.backward()
