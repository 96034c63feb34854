import torch

# gradient accumulation: 4 micro batches make one step
torch.manual_seed(1)
w = torch.randn(3, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.05)
accumulation_steps = 4

opt.zero_grad()
for step in range(8):
    x = torch.randn(5, 3)
    target = x.sum(dim=1)
    loss = ((x @ w - target) ** 2).mean() / accumulation_steps
    loss.backward()
    if (step + 1) % accumulation_steps == 0:
        opt.step()
        opt.zero_grad()
        print(f"step {step + 1}: w = {w.detach()}")
