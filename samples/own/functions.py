# Functions of your own: agx gradcheck "cube(x).sum()" --use cube=samples/own/functions.py:Cube.apply --x "randn(3)"
import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x**2


def root(x):
    if (x < 0).any():
        raise ValueError("a negative number has no root here")
    return x.sqrt()
