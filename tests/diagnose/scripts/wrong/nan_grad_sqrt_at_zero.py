# expect: nan-grad-sqrt-at-zero
import torch

torch.autograd.set_detect_anomaly(True)
x = torch.zeros(3, requires_grad=True)
torch.sqrt((x * x).sum()).backward()
