import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 3
y.backward()
print(x.grad)
print(y_hat)
