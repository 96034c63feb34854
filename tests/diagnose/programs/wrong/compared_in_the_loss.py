# expect: AGX403 error 4
import torch
x = torch.tensor([0.2, 0.8], requires_grad=True)
hit = (x > 0.5).float()
loss = 1 - hit.mean()
loss.backward()
