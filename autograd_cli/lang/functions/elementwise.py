"""Functions of one tensor, element by element: powers, waves, rounding, and the special ones."""

from autograd_cli.lang.functions.rows import Function, Kind, row


def _one(path: str, meaning: str, domain: str, x: str, *aliases: str) -> Function:
    """A row for a function of one tensor: path, meaning, domain, an x inside it, aliases."""
    name = path.removeprefix("torch.")
    return row(
        path,
        meaning,
        f"{name}(x)",
        x=x,
        domain=domain,
        kind=Kind.ELEMENTWISE,
        method="." not in name,
        aliases=aliases,
    )


KINK = "x != 0; at 0 the gradient is taken as 0"
STEPS = "any real, with gradient 0 everywhere it has one"

# fmt: off
PLAIN = (
    _one("torch.abs", "the distance from 0", KINK, "[-1.5,0.3,2.]", "torch.absolute"),
    _one("torch.neg", "minus x", "any real", "[-1.5,0.3]", "torch.negative"),
    _one("torch.positive", "x itself", "any real", "[-1.5,0.3]"),
    _one("torch.square", "x times x", "any real", "[-1.5,0.3]"),
    _one("torch.sqrt", "the square root", "x > 0", "[0.5,2.]"),
    _one("torch.rsqrt", "1 over the square root", "x > 0", "[0.5,2.]"),
    _one("torch.reciprocal", "1 / x", "x != 0", "[-1.5,0.3]"),
    _one("torch.sign", "-1, 0 or 1 by the sign", STEPS, "[-1.5,0.3]"),
    _one("torch.sgn", "the sign; of a complex number its direction", STEPS, "[-1.5,0.3]"),
    _one("torch.floor", "the next integer below", STEPS, "[-1.5,0.3]"),
    _one("torch.ceil", "the next integer above", STEPS, "[-1.5,0.3]"),
    _one("torch.trunc", "the integer part", STEPS, "[-1.5,0.3]", "torch.fix"),
    _one("torch.frac", "what is behind the point, with the sign of x", "x not an integer", "[-1.5,0.3]"),
    _one("torch.relu", "x where positive, else 0", KINK, "[-1.5,0.3]"),
    _one("torch.deg2rad", "degrees into radians", "any real", "[30.,-90.]"),
    _one("torch.rad2deg", "radians into degrees", "any real", "[0.5,-2.]"),
)

EXPONENTIALS = (
    _one("torch.exp", "e to the power x", "any real; overflows above 88 in float32", "[-1.,0.5]"),
    _one("torch.exp2", "2 to the power x", "any real", "[-1.,0.5]", "torch.special.exp2"),
    _one("torch.expm1", "exp(x) - 1, exact near 0", "any real", "[-1.,0.01]", "torch.special.expm1"),
    _one("torch.log", "the natural logarithm", "x > 0", "[0.5,2.]"),
    _one("torch.log2", "the logarithm to base 2", "x > 0", "[0.5,2.]"),
    _one("torch.log10", "the logarithm to base 10", "x > 0", "[0.5,2.]"),
    _one("torch.log1p", "log(1 + x), exact near 0", "x > -1", "[-0.5,0.01,2.]", "torch.special.log1p"),
    _one("torch.sigmoid", "1 / (1 + exp(-x))", "any real", "[-1.,0.5]",
         "torch.special.expit", "torch.nn.functional.sigmoid"),
)

WAVES = (
    _one("torch.sin", "the sine", "any real", "[0.3,1.2]"),
    _one("torch.cos", "the cosine", "any real", "[0.3,1.2]"),
    _one("torch.tan", "the tangent", "cos(x) != 0", "[0.3,1.2]"),
    _one("torch.asin", "the angle whose sine is x", "-1 < x < 1", "[-0.5,0.7]", "torch.arcsin"),
    _one("torch.acos", "the angle whose cosine is x", "-1 < x < 1", "[-0.5,0.7]", "torch.arccos"),
    _one("torch.atan", "the angle whose tangent is x", "any real", "[-0.5,2.]", "torch.arctan"),
    _one("torch.sinh", "the hyperbolic sine", "any real", "[-0.5,1.2]"),
    _one("torch.cosh", "the hyperbolic cosine", "any real", "[-0.5,1.2]"),
    _one("torch.tanh", "the hyperbolic tangent", "any real", "[-0.5,1.2]", "torch.nn.functional.tanh"),
    _one("torch.asinh", "the inverse of sinh", "any real", "[-0.5,2.]", "torch.arcsinh"),
    _one("torch.acosh", "the inverse of cosh", "x > 1", "[1.5,3.]", "torch.arccosh"),
    _one("torch.atanh", "the inverse of tanh", "-1 < x < 1", "[-0.5,0.7]", "torch.arctanh"),
    _one("torch.sinc", "sin(pi*x) / (pi*x), and 1 at 0", "any real", "[0.3,1.2]", "torch.special.sinc"),
)

SPECIAL = (
    _one("torch.erf", "the error function", "any real", "[-0.5,1.2]", "torch.special.erf"),
    _one("torch.erfc", "1 - erf(x), exact for large x", "any real", "[-0.5,1.2]", "torch.special.erfc"),
    _one("torch.erfinv", "the inverse of erf", "-1 < x < 1", "[-0.5,0.7]", "torch.special.erfinv"),
    _one("torch.lgamma", "the logarithm of the gamma function", "x not 0, -1, -2, …", "[0.5,3.2]",
         "torch.special.gammaln"),
    _one("torch.digamma", "the slope of lgamma", "x not 0, -1, -2, …", "[0.5,3.2]",
         "torch.special.digamma", "torch.special.psi"),
    _one("torch.i0", "the modified Bessel function of order 0", "any real", "[-0.5,1.2]", "torch.special.i0"),
    _one("torch.special.i0e", "i0(x) times exp(-|x|)", "x != 0", "[-0.5,1.2]"),
    _one("torch.special.i1", "the modified Bessel function of order 1", "any real", "[-0.5,1.2]"),
    _one("torch.special.i1e", "i1(x) times exp(-|x|)", "x != 0", "[-0.5,1.2]"),
    _one("torch.special.erfcx", "exp(x**2) * erfc(x)", "any real", "[-0.5,1.2]"),
    _one("torch.special.entr", "-x * log(x), the entropy of x", "x > 0", "[0.5,2.]"),
    _one("torch.special.ndtr", "the chance of a standard normal below x", "any real", "[-0.5,1.2]"),
    _one("torch.special.ndtri", "the inverse of ndtr", "0 < x < 1", "[0.2,0.7]"),
    _one("torch.special.log_ndtr", "the logarithm of ndtr", "any real", "[-0.5,1.2]"),
)
# fmt: on


ROWS = PLAIN + EXPONENTIALS + WAVES + SPECIAL
