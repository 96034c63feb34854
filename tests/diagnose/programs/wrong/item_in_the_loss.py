# expect: AGX403 error 4
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = torch.tensor(((w - 1) ** 2).mean().item())
loss.backward()
