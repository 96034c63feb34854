import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for epoch in range(3):
    loss = (w ** 2).sum()
    loss.backward()
    print(epoch, loss.item(), w.grad)
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
