# expect: AGX412 error 6
# fix: with torch.no_grad()
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
(w ** 2).sum().backward()
w -= 0.1 * w.grad
