# agx trace samples/summary.py
# python samples/summary.py
# shows: logits (2, 3) torch.float32 cpu, 0.00 to inf, 1 of 6 not finite
# One line about any tensor: the first thing to look at when numbers go wrong.
import torch


def describe(name, x):
    bad = x.numel() - torch.isfinite(x).sum().item()
    line = f"{name} {tuple(x.shape)} {x.dtype} {x.device}, {x.min().item():.2f} to {x.max().item():.2f}"
    if bad > 0:
        line += f", {bad} of {x.numel()} not finite"
    if x.requires_grad:
        line += ", requires grad"
    return line


weights = torch.tensor([[0.5, -1.5], [2.0, 0.25]], requires_grad=True)
logits = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
logits[1, 2] = logits[1, 2] / 0
print(describe("weights", weights))
print(describe("logits", logits))
assert describe("weights", weights) == "weights (2, 2) torch.float32 cpu, -1.50 to 2.00, requires grad"
