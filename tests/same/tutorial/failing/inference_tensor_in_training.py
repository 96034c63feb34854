import torch

w = torch.ones(3, requires_grad=True)
with torch.inference_mode():
    features = torch.randn(3) * 2
loss = (features * w).sum()
loss.backward()
