import torch
w = torch.tensor(1.5, requires_grad=True)
target = (w * 2).detach()
loss = (w * 3 - target) ** 2
loss.backward()
print(w.grad)  # tensor(9.)
