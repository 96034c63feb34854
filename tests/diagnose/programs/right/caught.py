import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
try:
    y.backward()
except RuntimeError as err:
    print("refused:", err)
y.sum().backward()
print(x.grad)
