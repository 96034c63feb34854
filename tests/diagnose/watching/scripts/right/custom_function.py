import torch


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, beta):
        s = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, s, beta)
        ctx.mark_non_differentiable()
        return x * s

    @staticmethod
    def backward(ctx, g):
        x, s, beta = ctx.saved_tensors
        ds = s * (1 - s)
        return g * (s + beta * x * ds), (g * x * x * ds).sum()


x = torch.randn(5, requires_grad=True)
beta = torch.tensor(1.5, requires_grad=True)
opt = torch.optim.SGD([x, beta], lr=0.1)
for _ in range(3):
    opt.zero_grad()
    Swish.apply(x, beta).sum().backward()
    opt.step()
