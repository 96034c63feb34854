import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x ** 2
z = y.detach()
print(z.requires_grad)  # False
z[0] = 100.0
print(y)  # tensor([100.,   4.,   9.], grad_fn=<PowBackward0>)
c = y.detach().clone()
c[1] = -1.0
print(y[1].item())  # 4.0
