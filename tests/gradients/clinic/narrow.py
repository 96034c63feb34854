"""Autograd functions whose domain is narrow, whose backward raises, or whose second order is lost."""

import functools

import torch
from torch.autograd import Function


class Log(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.log()

    @staticmethod
    def backward(ctx, g):
        return g / ctx.saved_tensors[0]


class Minus(Log):
    """The sign is wrong."""

    @staticmethod
    def backward(ctx, g):
        return -g / ctx.saved_tensors[0]


class Guarded(Log):
    """Refuses what is not positive."""

    @staticmethod
    def forward(ctx, x):
        assert (x > 0).all()
        return Log.forward(ctx, x)


class GuardedMinus(Minus):
    """The same, and the sign is wrong."""

    @staticmethod
    def forward(ctx, x):
        assert (x > 0).all()
        return Log.forward(ctx, x)


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.saved_tensors[0]


class OnGrid(Square):
    """Its backward takes whole numbers and their eighths alone, in its own passes."""

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        if x.dtype == torch.float64 and not torch.equal(8 * x, (8 * x).round()):
            raise KeyError("off the grid")
        return 2 * g * x


class Recorded(Square):
    """Its backward cannot be recorded."""

    @staticmethod
    def backward(ctx, g):
        if torch.is_grad_enabled():
            raise ValueError("recorded")
        return 2 * g * ctx.saved_tensors[0]


class Inner(Function):
    @staticmethod
    def forward(ctx, x, g):
        return 2 * g * x

    @staticmethod
    def backward(ctx, g):
        raise KeyError("second")


class Twice(Square):
    """Its backward raises only when it is differentiated itself."""

    @staticmethod
    def backward(ctx, g):
        return Inner.apply(ctx.saved_tensors[0], g)


class Small(Function):
    """The second order of small numbers is lost."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1e-9 * x**3

    @staticmethod
    def backward(ctx, g):
        return g * 3e-9 * ctx.saved_tensors[0].detach() ** 2


def plainly(function):
    """A decorator that says nothing."""

    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


class Wrapped(Square):
    backward = staticmethod(plainly(Square.backward))


class Mixed(Square):
    forward = staticmethod(torch.amp.custom_fwd(Square.forward, device_type="cpu"))
    backward = staticmethod(torch.amp.custom_bwd(Square.backward, device_type="cpu"))


class Once(Square):
    backward = staticmethod(plainly(torch.autograd.function.once_differentiable(Square.backward)))
