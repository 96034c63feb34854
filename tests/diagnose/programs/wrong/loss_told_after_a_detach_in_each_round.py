# expect: AGX419 warning 9
# fix: line 8:  w
import torch
w = torch.tensor([2.0, 0.5], requires_grad=True)
goal = torch.tensor([1.0, 1.0])
for step in range(3):
    w.grad = None
    loss = (w.detach() - goal).square().sum()
    loss.requires_grad = True
    loss.backward()
