# expect: AGX502 warning 10
# fix: 0.001 * w.grad
import torch
torch.manual_seed(0)
x = torch.randn(100)
y = 5 * x + 2
w = torch.randn((), requires_grad=True)
b = torch.randn((), requires_grad=True)
for i in range(50):
    loss = ((w * x + b - y) ** 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
        w.grad.zero_()
        b.grad.zero_()
    if i % 10 == 0:
        print(i, loss.item())
