# expect: witnesses-disagree
import torch
from torch.autograd import gradcheck


class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


gradcheck(Sq.apply, torch.randn(3, dtype=torch.double, requires_grad=True))
