# expect: AGX419 warning 5
import torch
w = torch.tensor([1.0, 2.0])
loss = (w ** 2).sum()
loss.requires_grad = True
loss.backward()
