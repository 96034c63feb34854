# expect: loss-has-no-grad-path
import torch

x = torch.randn(4, 3)
w = torch.randn(3, 1)
loss = ((x @ w) ** 2).mean()
loss.backward()
