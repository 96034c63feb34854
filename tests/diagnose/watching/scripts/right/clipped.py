import torch
from torch import nn

enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
opt = torch.optim.AdamW(enc.parameters(), lr=1e-3)
for _ in range(3):
    x = torch.randn(2, 5, 8)
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    loss = (enc(x, mask=mask, is_causal=True) - x).abs().mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(enc.parameters(), 1.0)
    for p in enc.parameters():
        p.grad.clamp_(-0.1, 0.1)
    opt.step()
enc.eval()
with torch.no_grad():
    print(enc(torch.ones(2, 5, 8)).sum().item())
