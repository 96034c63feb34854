# expect: complex-loss-backward
import torch

x = torch.randn(8, requires_grad=True)
loss = torch.fft.fft(x).sum()
loss.backward()
