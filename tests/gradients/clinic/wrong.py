"""Autograd functions with a mistake each; the docstrings say which."""

import torch
from torch.autograd import Function


class Sign(Function):
    """The sign of the gradient is lost."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.cos(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * torch.sin(x)


class Twice(Function):
    """A factor 2 is lost."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x


class Swish(Function):
    """A factor beta is lost in a part of the first gradient, and an intermediate is saved."""

    @staticmethod
    def forward(ctx, x, beta):
        s = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, s, beta)
        return x * s

    @staticmethod
    def backward(ctx, grad_output):
        x, s, _ = ctx.saved_tensors
        grad_beta = (grad_output * x * x * s * (1 - s)).sum()
        return grad_output * (s + x * s * (1 - s)), grad_beta


class Product(Function):
    """The matrix w is not transposed."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, grad_output):
        x, w = ctx.saved_tensors
        return grad_output @ w, x.T @ grad_output


class Shifted(Function):
    """The gradient of b, which is stretched over rows, is that of the last row."""

    @staticmethod
    def forward(ctx, x, b):
        ctx.save_for_backward(x)
        return x * x + 3 * b

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output, 3 * grad_output[-1]


class Divided(Function):
    """The two gradients are returned in the other order."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x / y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        grad_x = grad_output / y
        grad_y = -grad_output * x / y**2
        return grad_y, grad_x


class Scaled(Function):
    """A value for the second argument is missing."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor


class Outer(Function):
    """The gradient of the vector u has the shape of the result."""

    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return torch.outer(u, v)

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        return grad_output * v, grad_output.T @ u


class Saved(Function):
    """An intermediate is saved: the second order comes out wrong."""

    @staticmethod
    def forward(ctx, x):
        e = torch.exp(x)
        ctx.save_for_backward(x, e)
        return x * e

    @staticmethod
    def backward(ctx, grad_output):
        x, e = ctx.saved_tensors
        return grad_output * (e + x * e)


class Unasked(Function):
    """Both gradients are computed whatever is needed."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, grad_output):
        x, w = ctx.saved_tensors
        return grad_output @ w.T, x.T @ grad_output
