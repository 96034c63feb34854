import torch


def f(x):
    return (x ** 3 + 2 * x).sum()


def numerical_gradient(x, h=1e-6):
    grad = torch.zeros_like(x)
    for i in range(x.numel()):
        xp = x.clone()
        xm = x.clone()
        xp[i] += h
        xm[i] -= h
        grad[i] = (f(xp) - f(xm)) / (2 * h)
    return grad


x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
f(x).backward()
with torch.no_grad():
    approx = numerical_gradient(x)
print("autograd :", x.grad)
print("numerical:", approx)
print("max error below 1e-6:", (x.grad - approx).abs().max().item() < 1e-6)
