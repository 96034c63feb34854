"""Autograd functions that are wrong in a part, at some values or otherwise, and some right ones."""

import torch
from torch.autograd import Function


class Nothing(Function):
    """No gradient for y."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        _, y = ctx.saved_tensors
        return (g * y if ctx.needs_input_grad[0] else None), None


class Backless(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


class Raising(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g.reshape(7, 7)


class Overwriting(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g.mul_(2)


class Drawing(Function):
    @staticmethod
    def forward(ctx, x):
        mask = (torch.rand_like(x) > 0.5).to(x.dtype)
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


class Viewing(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g.view(-1).view(ctx.shape)


class Ignoring(Function):
    """Does not look at grad_output."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0].exp()


class Silent(Function):
    """Torch sums the second gradient."""

    @staticmethod
    def forward(ctx, x, b):
        return x + b

    @staticmethod
    def backward(ctx, g):
        return (g if ctx.needs_input_grad[0] else None), (g if ctx.needs_input_grad[1] else None)


class Single(Function):
    @staticmethod
    def forward(ctx, x):
        if x.dtype != torch.float32:
            raise TypeError("float32 alone")
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Keeping(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.e = x.exp()
        return x * ctx.e

    @staticmethod
    def backward(ctx, g):
        return g * (ctx.e + ctx.e.log() * ctx.e)


class Rounding(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class Loss(Function):
    """The gradient of the target has the wrong sign, which is that of the guess."""

    @staticmethod
    def forward(ctx, p, y):
        ctx.save_for_backward(p, y)
        return ((p - y) ** 2).sum()

    @staticmethod
    def backward(ctx, g):
        p, y = ctx.saved_tensors
        d = 2 * g * (p - y)
        return (d if ctx.needs_input_grad[0] else None), (d if ctx.needs_input_grad[1] else None)


class Times(Function):
    """Each gradient is the other's, or a transpose is left out."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g @ w, x.T @ g


class Strict(Function):
    """Takes nothing beside two numbers."""

    @staticmethod
    def forward(ctx, x):
        if not torch.isin(x, torch.tensor([0.0, 0.5], dtype=x.dtype)).all():
            raise ValueError("another number")
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


def function(forward, backward):
    """A Function of x, whose backward is a function of x and the cotangents."""

    class Made(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return forward(x)

        @staticmethod
        def backward(ctx, *g):
            return backward(*ctx.saved_tensors, *g)

    return Made


# Wrong at negative numbers alone; of two outputs, the second with the wrong sign.
Leaky = function(lambda x: torch.where(x > 0, x, 0.5 * x), lambda x, g: torch.where(x > 0, g, 0.25 * g))
Both = function(lambda x: (x.sin(), x.cos()), lambda x, gs, gc: gs * x.cos() + gc * x.sin())

# Wrong in its sign, which values of 0 hide.
Cosine = function(torch.cos, lambda x, g: g * x.sin())

# Divides by 0 where the clamp is; right, with a domain that ends near; at a kink, and in single precision.
Root = function(lambda x: x.clamp(min=0).sqrt(), lambda x, g: g * 0.5 / x.clamp(min=0).sqrt())
Angle = function(torch.asin, lambda x, g: g / (1 - x**2).sqrt())
Clamped = function(lambda x: x.clamp(min=0), lambda x, g: g.float() * (x > 0))


swapped = Silent.apply


def twice(x):
    return Ignoring.apply(x) * 2
