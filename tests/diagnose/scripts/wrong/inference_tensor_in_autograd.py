# expect: inference-tensor-in-autograd
import torch
from torch import nn

body = nn.Linear(3, 3)
head = nn.Linear(3, 1)
with torch.inference_mode():
    feats = body(torch.randn(4, 3))
loss = head(feats).mean()
loss.backward()
