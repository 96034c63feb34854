import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
J = torch.zeros(2, 2)
y = (x ** 2).sum(dim=0)
for i in range(2):
    g = torch.autograd.grad(y[i], x, retain_graph=True)[0]
    J[i] = g[:, i]
print(J)
