import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y += 1
y.mul_(3)
y.sum().backward()
print(x.grad)  # tensor([6., 6.])
x.grad = None
d = x * 5
x.data.fill_(0.0)
d.sum().backward()
