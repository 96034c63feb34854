import torch
w = torch.tensor(1.0, requires_grad=True)
total = 0.0
for k in [1.0, 2.0]:
    loss = (w * k - 3) ** 2
    total += loss
total.backward()
print(w.grad.item())
running = 0.0
for k in [1.0, 2.0]:
    w.grad = None
    loss = (w * k - 3) ** 2
    loss.backward()
    running += loss.item()
print(running)
