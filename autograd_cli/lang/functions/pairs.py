"""Functions of two or more arguments, element by element: arithmetic, limits, comparisons, tests."""

from functools import partial

from autograd_cli.lang.functions.rows import Function, Kind, row

_row = partial(row, kind=Kind.ELEMENTWISE, signature="(input, other)")
_function = partial(_row, method=False)
_cut = partial(_row, differentiable=False)
_none = partial(_cut, domain="torch has no derivative for it")

ALPHA = "(input, other, *, alpha: number = 1)"
LIMITS = "(input, min = None, max = None)"
KINK = "x != y; equal elements share the gradient"
TRUTH = "any; truth values come out"
WHOLE = "integers and truth values"
POWER = "x > 0, or any x where the exponent is a whole number"
A, B, P = "[1.5,-0.3]", "[0.7,2.]", "[1.5,0.3]"
WHOLES, OTHERS = "tensor([6,3])", "tensor([3,2])"


def _compare(name: str, meaning: str, *aliases: str) -> Function:
    """A row for a comparison: its name, its meaning, other names for it."""
    others = tuple(f"torch.{alias}" for alias in aliases)
    return _cut(f"torch.{name}", meaning, f"{name}(x, y)", domain=TRUTH, aliases=others, x=A, y=B)


def _test(name: str, meaning: str) -> Function:
    """A row for a test of each element: its name, its meaning."""
    return _cut(f"torch.{name}", meaning, f"{name}(x)", signature="(input)", domain=TRUTH, x=A)


def _bits(name: str, meaning: str) -> Function:
    """A row for a function of integers: its name, its meaning."""
    return _cut(f"torch.{name}", meaning, f"{name}(x, y)", domain=WHOLE, x=WHOLES, y=OTHERS)


# fmt: off
ARITHMETIC = (
    _row("torch.add", "x + alpha * y", "add(x, y)", signature=ALPHA, x=A, y=B),
    _row("torch.sub", "x - alpha * y", "sub(x, y)", signature=ALPHA, aliases=("torch.subtract",), x=A, y=B),
    _function("torch.rsub", "y - alpha * x", "rsub(x, y)", signature=ALPHA, x=A, y=B),
    _row("torch.mul", "x * y", "mul(x, y)", aliases=("torch.multiply",), x=A, y=B),
    _row("torch.div", "x / y, rounded where rounding_mode says so", "div(x, y)", domain="y != 0",
         signature="(input, other, *, rounding_mode: text = None)", aliases=("torch.divide",), x=A, y=B),
    _row("torch.true_divide", "x / y", "true_divide(x, y)", key="div", domain="y != 0", x=A, y=B),
    _none("torch.floor_divide", "x / y rounded down", "floor_divide(x.detach(), y.detach())", x=A, y=B),
    _row("torch.remainder", "what a whole number of y leaves of x, with the sign of y", "remainder(x, y)",
         domain="y != 0, x / y not an integer", x=A, y=B),
    _row("torch.fmod", "what a whole number of y leaves of x, with the sign of x", "fmod(x, y)",
         domain="y != 0, x / y not an integer", x=A, y=B),
    _row("torch.pow", "x to the power of exponent", "pow(x, y)", signature="(input, exponent)", domain=POWER,
         x=P, y=B),
    _row("torch.float_power", "x to the power of exponent, in float64", "float_power(x, y)",
         signature="(input, exponent)", domain=POWER, x=P, y=B),
    _row("torch.addcmul", "x + value * a * b", "addcmul(x, a, b)",
         signature="(input, tensor1, tensor2, *, value: number = 1)", x=A, a=B, b=P),
    _row("torch.addcdiv", "x + value * a / b", "addcdiv(x, a, b)", domain="b != 0",
         signature="(input, tensor1, tensor2, *, value: number = 1)", x=A, a=B, b=P),
    _row("torch.lerp", "x + weight * (end - x)", "lerp(x, y, w)", signature="(input, end, weight)",
         x=A, y=B, w="[0.2,0.9]"),
    _row("torch.frexp", "(mantissa, exponent): x = mantissa * 2**exponent", "frexp(x)[0]",
         signature="(input)", domain="x not a power of 2", x=A),
    _row("torch.ldexp", "x * 2**y", "ldexp(x, y)", x=A, y=B),
)

BENDS = (
    _row("torch.maximum", "the larger of the two", "maximum(x, y)", domain=KINK, x=A, y=B),
    _row("torch.minimum", "the smaller of the two", "minimum(x, y)", domain=KINK, x=A, y=B),
    _row("torch.fmax", "the larger of the two, NaN left out", "fmax(x, y)", domain=KINK, x=A, y=B),
    _row("torch.fmin", "the smaller of the two, NaN left out", "fmin(x, y)", domain=KINK, x=A, y=B),
    _row("torch.clamp", "x kept within min and max", "clamp(x, -1., 1.)", signature=LIMITS,
         domain="x != min and x != max", aliases=("torch.clip",), x=A),
    _row("torch.clamp_min", "x, but at least min", "clamp_min(x, 0.1)", signature="(input, min)",
         domain="x != min", x=A),
    _row("torch.clamp_max", "x, but at most max", "clamp_max(x, 0.1)", signature="(input, max)",
         domain="x != max", x=A),
    _row("torch.copysign", "the size of x with the sign of y", "copysign(x, 2.)", domain="x != 0", x=A),
    _row("torch.round", "the nearest integer, the even one of two", "round(x)",
         signature="(input, *, decimals: count = 0)",
         domain="any real, with gradient 0 everywhere it has one", aliases=("torch.special.round",),
         x="[1.3,-0.3]"),
    _row("torch.nextafter", "the next number that can be written, towards other", "nextafter(x, y)",
         domain="any real; moves with input, not with other", x=A, y=B),
    _row("torch.nan_to_num", "x with NaN and infinities replaced", "nan_to_num(x)",
         signature="(input, nan: number = 0.0, posinf: number = None, neginf: number = None)", x=A),
)

CURVES = (
    _row("torch.atan2", "the angle of the point (y, x)", "atan2(x, y)", domain="not both 0",
         aliases=("torch.arctan2",), x=A, y=B),
    _row("torch.hypot", "sqrt(x**2 + y**2)", "hypot(x, y)", domain="not both 0", x=A, y=B),
    _row("torch.logaddexp", "log(exp(x) + exp(y))", "logaddexp(x, y)", x=A, y=B),
    _row("torch.logaddexp2", "log2(2**x + 2**y)", "logaddexp2(x, y)", x=A, y=B),
    _row("torch.xlogy", "x * log(y), and 0 where x is 0", "xlogy(x, y)", domain="y > 0",
         aliases=("torch.special.xlogy",), x=A, y=B),
    _function("torch.special.xlog1py", "x * log1p(y), and 0 where x is 0", "special.xlog1py(x, y)",
              domain="y > -1", x=A, y=B),
    _function("torch.special.zeta", "the Hurwitz zeta function, with a slope in other only",
              "special.zeta(2., x)", domain="input > 1, other > 0", x=P),
    _function("torch.polygamma", "the n-th derivative of digamma", "polygamma(1, x)",
              signature="(n: count, input)", domain="x not 0, -1, -2, …",
              aliases=("torch.special.polygamma",), x=P),
    _row("torch.Tensor.polygamma", "the n-th derivative of digamma", "x.polygamma(1)",
         signature="(input, n: count)", key="tensor_polygamma", domain="x not 0, -1, -2, …", x=P),
    _row("torch.mvlgamma", "the multivariate lgamma of p dims", "mvlgamma(x, 2)",
         signature="(input, p: count)", domain="x > (p - 1) / 2", x="[1.5,2.3]"),
    _function("torch.special.multigammaln", "the multivariate lgamma of p dims", "special.multigammaln(x, 2)",
              signature="(input, p: count)", key="mvlgamma", domain="x > (p - 1) / 2", x="[1.5,2.3]"),
    _row("torch.igamma", "the lower incomplete gamma function, with a slope in other only",
         "igamma(tensor(2.), x)", domain="input > 0, other > 0", aliases=("torch.special.gammainc",), x=P),
    _row("torch.igammac", "the upper incomplete gamma function, with a slope in other only",
         "igammac(tensor(2.), x)", domain="input > 0, other > 0", aliases=("torch.special.gammaincc",), x=P),
)

WITHOUT_DERIVATIVE = (
    _none("torch.heaviside", "0 below 0, 1 above, other at 0", "heaviside(x.detach(), y.detach())",
          signature="(input, values)", x=A, y=B),
    _none("torch.special.bessel_j0", "the Bessel function of order 0", "special.bessel_j0(x)",
          signature="(input)", method=False, x="tensor([0.5])"),
    _none("torch.special.bessel_j1", "the Bessel function of order 1", "special.bessel_j1(x)",
          signature="(input)", method=False, x="tensor([0.5])"),
)

COMPARISONS = (
    _compare("eq", "whether the two are equal"),
    _compare("ne", "whether the two differ", "not_equal"),
    _compare("lt", "whether x is less than y", "less"),
    _compare("le", "whether x is at most y", "less_equal"),
    _compare("gt", "whether x is greater than y", "greater"),
    _compare("ge", "whether x is at least y", "greater_equal"),
    _compare("logical_and", "whether both are not 0"),
    _compare("logical_or", "whether one of the two is not 0"),
    _compare("logical_xor", "whether exactly one of the two is not 0"),
    _cut("torch.isclose", "whether the two are equal within a tolerance", "isclose(x, y)", domain=TRUTH, x=A,
         y=B,
         signature="(input, other, rtol: number = 1e-05, atol: number = 1e-08, equal_nan: flag = False)"),
    _cut("torch.allclose", "whether all elements are equal within a tolerance", "allclose(x, y)",
         domain=TRUTH, x=A, y=B,
         signature="(input, other, rtol: number = 1e-05, atol: number = 1e-08, equal_nan: flag = False)"),
    _cut("torch.equal", "whether shapes and all elements are equal", "equal(x, y)", domain=TRUTH, x=A, y=B),
    _cut("torch.isin", "whether each element is among others", "isin(x, y)", domain=TRUTH, method=False, x=A,
         y=B, signature="(elements, test_elements, *, assume_unique: flag = False, invert: flag = False)"),
)

TESTS = (
    _test("logical_not", "whether it is 0"),
    _test("isnan", "whether it is not a number"),
    _test("isinf", "whether it is infinite"),
    _test("isposinf", "whether it is infinite and positive"),
    _test("isneginf", "whether it is infinite and negative"),
    _test("isfinite", "whether it is neither infinite nor NaN"),
    _test("isreal", "whether its imaginary part is 0"),
    _test("signbit", "whether its sign is minus"),
)

INTEGERS = (
    _bits("bitwise_and", "the bits set in both"),
    _bits("bitwise_or", "the bits set in either"),
    _bits("bitwise_xor", "the bits set in one of the two"),
    _bits("bitwise_left_shift", "the bits moved up"),
    _bits("bitwise_right_shift", "the bits moved down"),
    _bits("gcd", "the greatest common divisor"),
    _bits("lcm", "the least common multiple"),
    _cut("torch.bitwise_not", "every bit turned over", "bitwise_not(x)", signature="(input)", domain=WHOLE,
         x=WHOLES),
)
# fmt: on

ROWS = (*ARITHMETIC, *BENDS, *CURVES, *WITHOUT_DERIVATIVE, *COMPARISONS, *TESTS, *INTEGERS)
