# expect: sparse-grad-optimizer
import torch
from torch import nn

emb = nn.EmbeddingBag(10, 4, sparse=True)
opt = torch.optim.AdamW(emb.parameters())
emb(torch.tensor([[1, 2]])).sum().backward()
opt.step()
