import torch
from torch import nn

att = nn.MultiheadAttention(8, 2, batch_first=True)
opt = torch.optim.Adam(att.parameters())
for _ in range(3):
    x = torch.randn(2, 4, 8)
    pad = torch.tensor([[False, False, True, True], [False, False, False, True]])
    out, weights = att(x, x, x, key_padding_mask=pad)
    scores = torch.randn(2, 4, requires_grad=True).masked_fill(pad, float("-inf"))
    p = scores.softmax(-1)
    entropy = -(p * (p + 1e-9).log()).sum(-1).mean()
    n = (~pad).sum(1, keepdim=True)
    pooled = (out * ~pad[..., None]).sum(1) / n
    loss = pooled.norm(dim=1).mean() + torch.where(pad, torch.zeros(()), out.mean(-1)).sum() + entropy
    opt.zero_grad()
    loss.backward()
    opt.step()
