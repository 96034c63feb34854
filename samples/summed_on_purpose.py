# agx trace samples/summed_on_purpose.py
# python samples/summed_on_purpose.py
# shows: tensor([0.4000])
# Gradients that add up because they are meant to: three batches, then one step with their sum.
import torch

w = torch.ones(1, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)

optimizer.zero_grad()
for x in [1.0, 2.0, 3.0]:
    loss = (w * x).sum()
    loss.backward()
optimizer.step()  # 1 - 0.1 * (1 + 2 + 3)

print(w.detach())
assert abs(w.item() - 0.4) < 1e-6
