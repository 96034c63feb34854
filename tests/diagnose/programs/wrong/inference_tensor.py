# expect: AGX414 error 7
# fix: torch.no_grad()
import torch
w = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    x = torch.ones(2) * 3
y = (w * x).sum()
