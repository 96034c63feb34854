# a two-layer network, no nn.Module
import torch

torch.manual_seed(0)
N, D_in, H, D_out = 16, 8, 12, 2
x = torch.randn(N, D_in)
y = torch.randn(N, D_out)
w1 = torch.nn.Parameter(torch.randn(D_in, H) * 0.1)
w2 = torch.nn.Parameter(torch.randn(H, D_out) * 0.1)

lr = 1e-2
history = []
for t in range(50):
    y_pred = x.mm(w1).clamp(min=0).mm(w2)
    loss = (y_pred - y).pow(2).sum() / N
    history.append(loss.item())
    loss.backward()
    with torch.no_grad():
        w1 -= lr * w1.grad
        w2 -= lr * w2.grad
        w1.grad.zero_()
        w2.grad.zero_()
print(len(history), history[-1] < history[0])
print(f"{history[0]:.3f} -> {history[-1]:.3f}")
