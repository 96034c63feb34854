# expect: AGX411 error 15
# fix: before line 14, in each round:  what lines 6 to 8 compute
import torch
a = torch.tensor([0.3, 0.7], requires_grad=True)
b = torch.tensor([1.5], requires_grad=True)
size = 0
for parameter in (a, b):
    size = size + parameter.pow(2).sum()
optimizer = torch.optim.SGD([a, b], lr=0.1)
for epoch in range(2):
    for x in (1.0, 2.0):
        optimizer.zero_grad()
        predicted = (a * x).sum() + b
        loss = (predicted - 3).pow(2).sum() + 0.1 * size
        loss.backward()
        optimizer.step()
