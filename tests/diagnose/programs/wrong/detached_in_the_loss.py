# expect: AGX453 error 5
# fix: w * 2
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
pred = (w * 2).detach()
loss = ((pred - 1) ** 2).mean()
loss.backward()
