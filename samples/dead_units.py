# agx trace samples/dead_units.py
# python samples/dead_units.py
# shows: saturated-activation
# shows: is 0
# Every unit is below 0, where relu is flat: the weights stand still.
import torch

w = torch.tensor([[0.5], [0.5]], requires_grad=True)
x = torch.tensor([[1.0, 2.0], [3.0, 1.0]])
loss = torch.relu(x @ w - 10).sum()
loss.backward()
print(w.grad)
