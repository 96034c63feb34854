"""Local factors of torch's elementwise functions, one row a function, by rule key.

Written as textbooks have them; where torch decides (at kinks, at 0 times infinity) the
rows decide as torch's derivatives.yaml does. `out` is the result, x and y the operands.
"""

from collections.abc import Callable
from math import prod

from autograd_cli.symbolic.operands import NoRuleError, Operand
from autograd_cli.symbolic.texts import Texts, rows

Table = dict[str, str | Texts | Callable[..., Texts]]

# The whole numbers that a rounding gives do not move, and torch passes 0 whatever arrives.
FLAT = "0"

ARITHMETIC: Table = {
    "add(x, y, alpha=1)": ("1", "alpha"),
    "sub(x, y, alpha=1)": ("1", "-alpha"),
    "rsub(x, y, alpha=1)": ("-alpha", "1"),
    "mul(x, y)": ("y", "x"),
    "div(x, y, rounding_mode=None)": lambda x, y, rounding_mode: (
        ("1/y", "-x/y**2") if rounding_mode is None else (FLAT, FLAT)
    ),
    "remainder(x, y)": ("1", "-floor(x/y)"),
    "fmod(x, y)": ("1", "-trunc(x/y)"),
    "neg(x)": "-1",
    "positive(x)": "1",
    "reciprocal(x)": "-1/x**2",
    "square(x)": "2*x",
    "addcmul(x, tensor1, tensor2, value=1)": ("1", "value*tensor2", "value*tensor1"),
    "addcdiv(x, tensor1, tensor2, value=1)": ("1", "value/tensor2", "-value*tensor1/tensor2**2"),
    "lerp(x, end, weight)": ("1 - weight", "weight", "end - x"),
    "ldexp(x, y)": ("2**y", "math.log(2)*out"),
}

ROUNDING: Table = {
    "abs(x)": "sign(x)",
    "sign(x)": FLAT,
    "sgn(x)": FLAT,
    "floor(x)": FLAT,
    "ceil(x)": FLAT,
    "trunc(x)": FLAT,
    "round(x, decimals=0)": FLAT,
    "frac(x)": "1",
    "angle(x)": FLAT,
    "deg2rad(x)": "pi/180",
    "rad2deg(x)": "180/pi",
    "copysign(x, y)": ("sign(x)*sign(out)", FLAT),
    "nan_to_num(x, nan=0, posinf=None, neginf=None)": "where(isfinite(x), 1, 0)",
    "hypot(x, y)": ("x/out", "y/out"),
    "real(x)": "1",
    "conj(x)": "1",
    "conj_physical(x)": "1",
    "resolve_conj(x)": "1",
}

ROOTS_AND_EXPONENTIALS: Table = {
    "sqrt(x)": "1/(2*out)",
    "rsqrt(x)": "-out**3/2",
    "exp(x)": "out",
    "exp2(x)": "math.log(2)*out",
    "expm1(x)": "exp(x)",
    "log(x)": "1/x",
    "log2(x)": "1/(math.log(2)*x)",
    "log10(x)": "1/(math.log(10)*x)",
    "log1p(x)": "1/(1 + x)",
    "logit(x, eps=None)": lambda x, eps: (
        "1/(x*(1 - x))" if eps is None else "where((x >= eps) & (x <= 1 - eps), 1/(x*(1 - x)), 0)",
    ),
    "logaddexp(x, y)": ("sigmoid(x - y)", "sigmoid(y - x)"),
    "logaddexp2(x, y)": ("1/(1 + 2**(y - x))", "1/(1 + 2**(x - y))"),
    "xlogy(x, y)": ("where((x == 0) & (y <= 0), 0, log(y))", "x/y"),
    "xlog1py(x, y)": ("where((x == 0) & (y <= -1), 0, log1p(y))", "x/(1 + y)"),
}

WAVES: Table = {
    "sin(x)": "cos(x)",
    "cos(x)": "-sin(x)",
    "tan(x)": "1 + out**2",
    "asin(x)": "1/sqrt(1 - x**2)",
    "acos(x)": "-1/sqrt(1 - x**2)",
    "atan(x)": "1/(1 + x**2)",
    "atan2(x, y)": ("y/(x**2 + y**2)", "-x/(x**2 + y**2)"),
    "sinh(x)": "cosh(x)",
    "cosh(x)": "sinh(x)",
    "tanh(x)": "1 - out**2",
    "asinh(x)": "1/sqrt(x**2 + 1)",
    "acosh(x)": "1/sqrt(x**2 - 1)",
    "atanh(x)": "1/(1 - x**2)",
    "sinc(x)": "where(x == 0, 0, (cos(pi*x) - out)/x)",
}

SPECIAL: Table = {
    "erf(x)": "2/math.sqrt(pi)*exp(-x**2)",
    "erfc(x)": "-2/math.sqrt(pi)*exp(-x**2)",
    "erfinv(x)": "math.sqrt(pi)/2*exp(out**2)",
    "erfcx(x)": "2*x*out - 2/math.sqrt(pi)",
    "lgamma(x)": "digamma(x)",
    "digamma(x)": "polygamma(1, x)",
    "mvlgamma(x, p)": lambda x, p: (
        " + ".join(["digamma(x)", *(f"digamma(x - {i / 2})" for i in range(1, p))]),
    ),
    "i0(x)": "special.i1(x)",
    "i0e(x)": "special.i1e(x) - sign(x)*out",
    "i1(x)": "where(x == 0, 0.5, i0(x) - out/x)",
    "i1e(x)": "where(x == 0, 0.5, special.i0e(x) - (sign(x) + 1/x)*out)",
    "entr(x)": "-(1 + log(x))",
    "ndtr(x)": "exp(-x**2/2)/math.sqrt(2*pi)",
    "ndtri(x)": "math.sqrt(2*pi)*exp(out**2/2)",
    "log_ndtr(x)": "math.sqrt(2/pi)/special.erfcx(-x/math.sqrt(2))",
    "zeta(x, y)": (None, "-x*special.zeta(x + 1, y)"),
    "igamma(x, y)": (None, "exp((x - 1)*log(y) - y - lgamma(x))"),
    "igammac(x, y)": (None, "-exp((x - 1)*log(y) - y - lgamma(x))"),
}

CHOICES: Table = {
    "where(condition, input, other)": (None, "where(condition, 1, 0)", "where(condition, 0, 1)"),
    "tensor_where(x, condition, other)": ("where(condition, 1, 0)", None, "where(condition, 0, 1)"),
    "masked_fill(x, mask, value)": ("where(mask, 0, 1)",),
    "maximum(x, y)": (
        "where(x < y, 0, where(x == y, 0.5, 1))",
        "where(y < x, 0, where(x == y, 0.5, 1))",
    ),
    "minimum(x, y)": (
        "where(x > y, 0, where(x == y, 0.5, 1))",
        "where(y > x, 0, where(x == y, 0.5, 1))",
    ),
    "fmax(x, y)": ("where((x >= y) | isnan(y), 1, 0)", "where((x >= y) | isnan(y), 0, 1)"),
    "fmin(x, y)": ("where((x <= y) | isnan(y), 1, 0)", "where((x <= y) | isnan(y), 0, 1)"),
    "clamp_min(x, min)": ("where(x >= min, 1, 0)", "where(x < min, 1, 0)"),
    "clamp_max(x, max)": ("where(x <= max, 1, 0)", "where(x > max, 1, 0)"),
}


def _clamp(x: object, min: object, max: object) -> Texts:
    """By the bounds that are given; a bound passes where the result is the bound."""
    if min is None and max is None:
        return ("1",)
    if max is None:
        return "where(x >= min, 1, 0)", "where(x < min, 1, 0)"
    if min is None:
        return "where(x <= max, 1, 0)", "0", "where(x > max, 1, 0)"
    return (
        "where((x >= min) & (x <= max), 1, 0)",
        "where((x < min) & (min < max), 1, 0)",
        "where((x > max) | (max < min), 1, 0)",
    )


CHOICES["clamp(x, min=None, max=None)"] = _clamp


def _prelu(x: Operand, weight: Operand) -> Texts:
    """By the weight, where one weight or one for each column is stretched as in broadcasting."""
    if prod(weight.shape) != 1 and len(x.shape) != 2:
        raise NoRuleError("prelu with a weight for each channel has no derivative rule yet")
    if len(weight.shape) > len(x.shape):
        raise NoRuleError("prelu of a single number has no derivative rule yet")
    return "where(x > 0, 1, weight)", "where(x > 0, 0, x)"


def _rrelu(x: object, lower: float, upper: float, training: bool) -> Texts:
    """By the mean slope; while training the slopes are random."""
    if training:
        raise NoRuleError("rrelu draws its slopes at random while training")
    return ("where(x > 0, 1, (lower + upper)/2)",)


def _gelu(x: object, approximate: str) -> Texts:
    """After the exact form, or after the approximation by tanh."""
    if approximate == "none":
        return ("special.ndtr(x) + x*exp(-x**2/2)/math.sqrt(2*pi)",)
    inner = "tanh(math.sqrt(2/pi)*(x + 0.044715*x**3))"
    slope = "math.sqrt(2/pi)*(1 + 0.134145*x**2)"
    return (f"(1 + {inner})/2 + x/2*(1 - {inner}**2)*{slope}",)


ACTIVATIONS: Table = {
    "sigmoid(x)": "out*(1 - out)",
    "relu(x)": "where(x > 0, 1, 0)",
    "relu6(x)": "where((x > 0) & (x < 6), 1, 0)",
    "leaky_relu(x, negative_slope=0.01)": "where(x > 0, 1, negative_slope)",
    "prelu(x, weight)": _prelu,
    "rrelu(x, lower=0.125, upper=0.3333333333333333, training=False)": _rrelu,
    "elu(x, alpha=1)": "where(x > 0, 1, alpha*exp(x))",
    "celu(x, alpha=1)": "where(x > 0, 1, exp(x/alpha))",
    "selu(x)": "1.0507009873554805*where(x > 0, 1, 1.6732632423543772*exp(x))",
    "silu(x)": "sigmoid(x)*(1 + x*(1 - sigmoid(x)))",
    "mish(x)": "tanh(F.softplus(x)) + x*sigmoid(x)*(1 - tanh(F.softplus(x))**2)",
    "softplus(x, beta=1, threshold=20)": "where(beta*x > threshold, 1, sigmoid(beta*x))",
    "logsigmoid(x)": "sigmoid(-x)",
    "log_of_share(x)": "1 - sigmoid(x)",
    "log_of_rest(x)": "-sigmoid(x)",
    "softsign(x)": "1/(1 + abs(x))**2",
    "tanhshrink(x)": "tanh(x)**2",
    "softshrink(x, lambd=0.5)": "where(abs(x) > lambd, 1, 0)",
    "hardshrink(x, lambd=0.5)": "where(abs(x) > lambd, 1, 0)",
    "threshold(x, threshold, value)": "where(x > threshold, 1, 0)",
    "hardtanh(x, min_val=-1, max_val=1)": "where((x > min_val) & (x < max_val), 1, 0)",
    "hardsigmoid(x)": "where((x > -3) & (x < 3), 1/6, 0)",
    "hardswish(x)": "where(x <= -3, 0, where(x < 3, x/3 + 0.5, 1))",
    "gelu(x, approximate='none')": _gelu,
}

ROWS = rows(ARITHMETIC, ROUNDING, ROOTS_AND_EXPONENTIALS, WAVES, SPECIAL, CHOICES, ACTIVATIONS)
