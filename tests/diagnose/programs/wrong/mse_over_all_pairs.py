# expect: AGX407 warning 7
# fix: target in the shape of
import torch
import torch.nn.functional as F
pred = torch.ones(4, 1, requires_grad=True)
target = torch.tensor([1.0, 2.0, 3.0, 4.0])
loss = F.mse_loss(pred, target)
loss.backward()
