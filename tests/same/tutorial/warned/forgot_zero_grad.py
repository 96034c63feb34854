# expects: AGX410
import torch

torch.manual_seed(0)
X = torch.randn(20, 2)
y = X @ torch.tensor([1.0, -1.0])
w = torch.zeros(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.01)
for epoch in range(5):
    loss = ((X @ w - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(f"{epoch}: {loss.item():.4f}")
