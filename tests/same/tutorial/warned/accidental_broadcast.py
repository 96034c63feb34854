# expects: AGX407
import torch

torch.manual_seed(0)
X = torch.randn(50, 3)
y = X @ torch.tensor([1.0, 2.0, 3.0])        # (50,)
w = torch.zeros(3, 1, requires_grad=True)
pred = X @ w                                 # (50, 1)
loss = ((pred - y) ** 2).mean()              # oops
loss.backward()
print(loss.shape, w.grad.shape)
