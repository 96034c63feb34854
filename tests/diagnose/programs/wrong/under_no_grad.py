# expect: AGX402 error 7
# fix: torch.enable_grad()
import torch
x = torch.tensor(3.0, requires_grad=True)
with torch.no_grad():
    y = x ** 2
y.backward()
