# expect: AGX402 error 7
# fix: torch.tensor([0.5, 0.5, 0.5], requires_grad=True)
import torch
x = torch.tensor([1.0, 2.0, 3.0])
w = torch.tensor([0.5, 0.5, 0.5])
loss = (x * w).sum()
loss.backward()
