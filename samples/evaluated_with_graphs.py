# agx trace samples/evaluated_with_graphs.py
# python samples/evaluated_with_graphs.py
# shows: eval-without-no-grad
# shows: with torch.no_grad():
# Every prediction records a graph, and no backward goes through any.
import torch

torch.manual_seed(0)
w = torch.randn(3, 1, requires_grad=True)
total = 0.0
for _ in range(10):
    x, y = torch.randn(8, 3), torch.randn(8, 1)
    total += ((x @ w - y) ** 2).mean().item()
print(total / 10)
