# expect: AGX411 error 12
# fix: before line 11, in each round:  decay = 0.5 * theta.square().mean()
import torch
theta = torch.tensor([0.4, -1.2, 0.9], requires_grad=True)
target = torch.tensor([1.0, 0.0, 2.0])
optimizer = torch.optim.Adam([theta], lr=0.05)
decay = 0.5 * theta.square().mean()
for step in range(4):
    error = theta - target
    optimizer.zero_grad()
    loss = error.abs().sum() + decay
    loss.backward()
    optimizer.step()
