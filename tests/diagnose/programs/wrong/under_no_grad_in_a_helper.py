# expect: AGX402 error 14
# fix: line 5:  torch.enable_grad()
import torch
def features(v):
    with torch.no_grad():
        inner = v.sin()
    return inner * 2
def score(v, scale):
    mixed = features(v)
    return (mixed * scale).mean()
w = torch.tensor([0.2, 0.9], requires_grad=True)
for scale in (1.0, 3.0):
    result = score(w, scale)
    result.backward()
