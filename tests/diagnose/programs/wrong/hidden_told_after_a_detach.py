# expect: AGX453 warning 6
# fix: line 6:  torch.sigmoid(a @ b)
import torch
a = torch.tensor([[0.5, -1.0], [2.0, 0.1]], requires_grad=True)
b = torch.tensor([1.0, 3.0])
hidden = torch.sigmoid(a @ b).detach()
hidden.requires_grad = True
loss = (hidden - 1).square().mean()
loss.backward()
print(a.grad)
