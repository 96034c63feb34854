# expect: AGX403 warning 4
import torch
w = torch.tensor([1.2, 2.7], requires_grad=True)
loss = (torch.round(w) ** 2).sum()
loss.backward()
print(w.grad)
