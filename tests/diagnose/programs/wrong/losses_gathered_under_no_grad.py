# expect: AGX402 error 11
# fix: line 7:  torch.enable_grad()
import torch
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
table = torch.zeros(2)
parts = []
with torch.no_grad():
    parts.append((w * 2).sum())
    parts.append(w.prod())
total = sum(parts)
total.backward()
