"""Functions x*x whose backward is wrong for some cotangents, values, layouts or dtypes alone."""

import torch
from torch.autograd import Function


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x


def square(backward):
    """x*x, whose backward is a function of x and the cotangent."""

    class Made(Square):
        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return backward(x, g)

    return Made


# Wrong where the cotangent is exactly 1, or sums to exactly 4.
OfOne = square(lambda x, g: torch.where(g == 1, 3 * x * g, 2 * x * g))
OfFour = square(lambda x, g: (3 if float(g.sum()) == 4 else 2) * x * g)

# Wrong for a cotangent that is stretched, as sum() sends it, or for one that is not contiguous.
Stretched = square(lambda x, g: (3 if 0 in g.stride() else 2) * x * g)
Strided = square(lambda x, g: (2 if g.is_contiguous() else 3) * x * g)

# Wrong in float32 alone, or in float16 alone.
Single = square(lambda x, g: (3 if x.dtype == torch.float32 else 2) * x * g)
Half = square(lambda x, g: (3 if x.dtype == torch.float16 else 2) * x * g)

# Right, and it loses digits; and one that draws what forward did not.
Cancelling = square(lambda x, g: ((2 * x + 1e6) - 1e6) * g)
Noisy = square(lambda x, g: 2 * x * g + 1e-3 * torch.randn_like(x))


class AtTwo(Square):
    """Wrong where x is exactly 2."""

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.where(x == 2, 3 * x * g, 2 * x * g)


class Turned(Square):
    """Wrong for an input that is not contiguous."""

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * (x if x.is_contiguous() else x.t()) * g


class Power(Function):
    """Takes arguments by keyword."""

    @staticmethod
    def forward(ctx, x, p=2, flag=None):
        ctx.save_for_backward(x)
        ctx.p = p
        return x**p

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.p * x ** (ctx.p - 1), None, None


class WrongPower(Power):
    """The factor p is lost."""

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x ** (ctx.p - 1), None, None


class Dropout(Function):
    """Right; it draws anew in each run."""

    @staticmethod
    def forward(ctx, x):
        kept = (torch.rand_like(x) > 0.5).to(x.dtype) * 2
        ctx.save_for_backward(kept)
        return x * kept

    @staticmethod
    def backward(ctx, g):
        (kept,) = ctx.saved_tensors
        return g * kept


class Rounded(Function):
    """A straight-through estimate."""

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class Root(Function):
    """Twice the gradient."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sqrt()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / x.sqrt()


class Ramp(Function):
    """Half as much again of a kink's gradient."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x >= 0) * 1.5


class AtKink(Ramp):
    """More than either side at the kink."""

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ((x > 0) + 3 * (x == 0))


class Added(Function):
    """A small term is added to the gradient."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.tanh()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (1 - x.tanh() ** 2 + 1e-9)


class Quantised(Function):
    """A forward that rounds to 1e-8, and a gradient that is 1 % too much."""

    @staticmethod
    def forward(ctx, x):
        return (x + 1e8) - 1e8

    @staticmethod
    def backward(ctx, g):
        return g * 1.01


class Normed(Function):
    """Right, and what it gives cancels in a sum."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x - x.mean()) / (x.var(unbiased=False) + 1e-5).sqrt()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        middle, scale = x - x.mean(), (x.var(unbiased=False) + 1e-5).rsqrt()
        along = (g * middle).mean() * scale**2
        return scale * (g - g.mean() - middle * along)


class Coarse(Quantised):
    """The same, and right."""

    @staticmethod
    def backward(ctx, g):
        return g * 1.0
