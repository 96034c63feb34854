import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
v = torch.tensor([1.0, 1.0, 1.0])
y.backward(gradient=v)
print(x.grad)

# the same by torch.autograd.grad
x2 = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
(g,) = torch.autograd.grad(x2 ** 2, x2, grad_outputs=torch.tensor([1.0, 0.1, 0.01]))
print(g)

# second derivative
x3 = torch.tensor(2.0, requires_grad=True)
first = torch.autograd.grad(x3 ** 3, x3, create_graph=True)[0]
second = torch.autograd.grad(first, x3)[0]
print(first.item(), second.item())
