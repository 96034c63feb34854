import torch
import torch.nn.functional as F

torch.manual_seed(0)
n, d = 200, 3
true_w = torch.tensor([2.0, -3.0, 1.5])
true_b = 0.5
X = torch.randn(n, d)
y = X @ true_w + true_b + 0.01 * torch.randn(n)

w = torch.zeros(d, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.Adam([w, b], lr=0.1)

for epoch in range(300):
    optimizer.zero_grad()
    pred = X @ w + b
    loss = F.mse_loss(pred, y)
    loss.backward()
    optimizer.step()
    if (epoch + 1) % 100 == 0:
        print(f'Epoch [{epoch + 1}/{300}], Loss: {loss.item():.6f}')

with torch.no_grad():
    print("close:", torch.allclose(w, true_w, atol=0.1), abs(b.item() - true_b) < 0.1)
