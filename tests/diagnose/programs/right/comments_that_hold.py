import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 2 + 3 * x  # y = x^2 + 3x
y.backward()
print(x.grad)             # tensor(7.)
print(x.grad.item())      # 7.0
print(y)                  # tensor(10., grad_fn=<AddBackward0>)
print(x.is_leaf, y.is_leaf)  # True False
print("grad:", x.grad)    # 7 = 2*2 + 3
print(torch.zeros(2, 3).shape)  # torch.Size([2, 3])
print(torch.arange(6.0))  # tensor([0., 1., ..., 5.])
print(torch.sin(x).item())  # about 0.909
print(x)  # 2 is the value of x
print(x.dtype)  # torch.float32
