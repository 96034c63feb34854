import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x ** 2

d = y.detach()
print(d.requires_grad, d.grad_fn)
d[0] = 100.
print("y after d[0] = 100:", y)

safe = y.detach().clone()
safe[1] = -1
print("y after the clone was changed:", y)
print(d.data_ptr() == y.data_ptr(), safe.data_ptr() == y.data_ptr())
