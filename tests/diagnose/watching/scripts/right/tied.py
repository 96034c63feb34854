import torch
from torch import nn


class LM(nn.Module):
    def __init__(self, vocab=20, dim=8):
        super().__init__()
        self.emb, self.out = nn.Embedding(vocab, dim), nn.Linear(dim, vocab, bias=False)
        self.out.weight = self.emb.weight
        self.ln = nn.LayerNorm(dim)

    def forward(self, ids):
        h = self.emb(ids)
        h = h + self.ln(h)
        return self.out(h)


lm = LM()
opt = torch.optim.Adam(lm.parameters(), lr=1e-2)
for _ in range(4):
    ids = torch.randint(20, (2, 6))
    logits = lm(ids[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 20), ids[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
