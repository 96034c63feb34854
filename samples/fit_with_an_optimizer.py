# agx trace samples/fit_with_an_optimizer.py
# python samples/fit_with_an_optimizer.py
# shows: within 0.1 of the truth
# The same loop with an optimizer, which keeps the list of what to step and to clear.
import torch

torch.manual_seed(0)
n, d = 200, 3
w_true = torch.tensor([2.0, -3.0, 1.5])
b_true = 0.5
X = torch.randn(n, d)
y = X @ w_true + b_true + 0.1 * torch.randn(n)

w = torch.zeros(d, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.1)

losses = []
for epoch in range(300):
    optimizer.zero_grad()
    loss = ((X @ w + b - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())  # a number; the tensor would keep its graph

print(w.detach(), b.detach())
assert losses[-1] < losses[0] / 100
assert (w - w_true).abs().max() < 0.1 and abs(b.item() - b_true) < 0.1
print("within 0.1 of the truth")
