# expect: once-differentiable-double-backward
import torch
from torch import nn
from torch.autograd.function import once_differentiable


class Op(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].cos()


net = nn.Linear(3, 3)
x = torch.randn(4, 3, requires_grad=True)
out = Op.apply(net(x)).pow(2).sum()
grad = torch.autograd.grad(out, x, create_graph=True)[0]
penalty = (grad.norm(2, dim=1) - 1).pow(2).mean()
penalty.backward()
