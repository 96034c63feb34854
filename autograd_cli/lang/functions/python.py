"""Python's own functions of numbers and lists, and those of its math module.

Under the prelude abs, all, any, max, min, pow, round and sum are torch's on a tensor and
Python's on anything else: both have a row. A tensor given to math becomes a number there,
and its gradient ends. What grows without bound (factorial, comb) is left out.
"""

from functools import partial

from autograd_cli.lang.functions.rows import Function, Kind, row

_row = partial(row, kind=Kind.PYTHON, method=False)
_cut = partial(_row, kind=Kind.CUT, differentiable=False)
_plain = partial(_row, differentiable=False)

LIST = "(iterable: tensors, /)"
NUMBER = "(x: number, /)"
TWO = "(x: number, y: number, /)"
A = "[1.5,-0.3]"


def _python(name: str, meaning: str, example: str, signature: str) -> Function:
    """A row for a builtin that gives Python values: name, meaning, example, signature."""
    return _plain(
        f"builtins.{name}", meaning, example, signature=signature, key=f"python_{name}", domain="any"
    )


def _passing(name: str, meaning: str, example: str, signature: str) -> Function:
    """A row for a builtin through which gradients pass: name, meaning, example, signature."""
    return _row(
        f"builtins.{name}", meaning, example, signature=signature, key=f"python_{name}", domain="any", x=A
    )


def _number(name: str, meaning: str, example: str, signature: str) -> Function:
    """A row for a builtin that makes a Python number of a tensor: name, meaning, example, signature."""
    return _cut(f"builtins.{name}", meaning, example, signature=signature, key=f"python_{name}",
                domain="one element; gradients end here", x="1.5")  # fmt: skip


def _math(
    name: str, meaning: str, arguments: str = "0.5", signature: str = NUMBER, domain: str = "any real"
) -> Function:
    """A row of the math module: name, meaning, arguments of the example, signature, domain."""
    return _plain(f"math.{name}", meaning, f"math.{name}({arguments})", signature=signature,
                  key=f"math_{name}", domain=f"{domain}; a Python number comes out")  # fmt: skip


# fmt: off
BUILTINS = (
    _python("abs", "the distance from 0", "abs(-2)", NUMBER),
    _python("all", "whether every item is true", "all([1, 0])", LIST),
    _python("any", "whether one item is true", "any([1, 0])", LIST),
    _python("len", "how many items; of a tensor the size of its first dim", "len([1, 2])", "(obj, /)"),
    _python("range", "the whole numbers from start up to, not including, stop", "range(0, 10, 2)",
            "(start: count, stop: count = None, step: count = 1, /)"),
    _python("repr", "the value as Python writes it", "repr([1, 2])", "(obj, /)"),
    _python("id", "which object it is, to compare with another's", "id(pi) == id(e)", "(obj, /)"),
    _python("isinstance", "whether it is of a class, or of one of several", "isinstance(2, int)",
            "(obj, classes, /)"),
    _python("round", "the nearest whole number, the even one of two", "round(2.5)",
            "(number: number, ndigits: count = None)"),
    _passing("max", "the largest item", "max([x[0], x[1]])", "(*items, default: number = None)"),
    _passing("min", "the smallest item", "min([x[0], x[1]])", "(*items, default: number = None)"),
    _passing("sum", "the sum of the items", "sum([x[0], x[1]])", "(iterable: tensors, /, start: number = 0)"),
    _passing("pow", "base to the power exp", "pow(2., x)", "(base, exp, mod: count = None)"),
    _passing("tuple", "the items as a tuple", "tuple(x)[0]", "(iterable: tensors = (), /)"),
    _passing("list", "the items as a list", "list(x)[0]", "(iterable: tensors = (), /)"),
    _passing("sorted", "the items in order, the smallest first", "sorted([x[0], x[1]])[0]",
             "(iterable: tensors, /, *, reverse: flag = False)"),
    _passing("enumerate", "pairs of a number and an item, counted from start",
             "total = 0\nfor i, v in enumerate([x, x**2]): total = total + i*v\ntotal",
             "(iterable: tensors, start: count = 0)"),
    _passing("zip", "the first items, then the second ones, and so on",
             "total = 0\nfor a, b in zip([x, 2*x], [x, x**2]): total = total + a*b\ntotal",
             "(*iterables: tensors, strict: flag = False)"),
    _python("str", "as text", "str(2)", "(object = '', /)"),
    _python("type", "the kind of value that it is", "type(2).__name__", "(object, /)"),
    _number("bool", "whether it is not 0", "bool(x)", "(x = False, /)"),
    _number("float", "a Python float", "float(x)", "(x: number = 0.0, /)"),
    _number("int", "a Python int, the fraction dropped", "int(x)", "(x: number = 0, /)"),
    _number("complex", "a Python complex number", "complex(x)", "(real: number = 0, imag: number = 0)"),
)

MATH = (
    _math("sqrt", "the square root", domain="x >= 0"),
    _math("cbrt", "the cube root"),
    _math("exp", "e to the power x"),
    _math("exp2", "2 to the power x"),
    _math("expm1", "exp(x) - 1, exact near 0"),
    _math("log", "the logarithm, natural unless a base is given",
          signature="(x: number, base: number = None, /)", domain="x > 0"),
    _math("log2", "the logarithm to base 2", domain="x > 0"),
    _math("log10", "the logarithm to base 10", domain="x > 0"),
    _math("log1p", "log(1 + x), exact near 0", domain="x > -1"),
    _math("sin", "the sine"),
    _math("cos", "the cosine"),
    _math("tan", "the tangent"),
    _math("asin", "the angle whose sine is x", domain="-1 <= x <= 1"),
    _math("acos", "the angle whose cosine is x", domain="-1 <= x <= 1"),
    _math("atan", "the angle whose tangent is x"),
    _math("atan2", "the angle of the point (y, x)", "1., 2.", "(y: number, x: number, /)"),
    _math("sinh", "the hyperbolic sine"),
    _math("cosh", "the hyperbolic cosine"),
    _math("tanh", "the hyperbolic tangent"),
    _math("asinh", "the inverse of sinh"),
    _math("acosh", "the inverse of cosh", "1.5", domain="x >= 1"),
    _math("atanh", "the inverse of tanh", domain="-1 < x < 1"),
    _math("erf", "the error function"),
    _math("erfc", "1 - erf(x)"),
    _math("gamma", "the gamma function", domain="x not 0, -1, -2, …"),
    _math("lgamma", "the logarithm of the gamma function", domain="x not 0, -1, -2, …"),
    _math("fabs", "the distance from 0"),
    _math("floor", "the next integer below"),
    _math("ceil", "the next integer above"),
    _math("trunc", "the integer part"),
    _math("degrees", "radians into degrees"),
    _math("radians", "degrees into radians"),
    _math("isnan", "whether it is not a number"),
    _math("isinf", "whether it is infinite"),
    _math("isfinite", "whether it is neither infinite nor NaN"),
    _math("pow", "x to the power y, as floats", "2., 3.", TWO, "x > 0, or y a whole number"),
    _math("fmod", "what a whole number of y leaves of x, with the sign of x", "5., 3.", TWO, "y != 0"),
    _math("remainder", "what the nearest multiple of y leaves of x", "5., 3.", TWO, "y != 0"),
    _math("copysign", "the size of x with the sign of y", "2., -1.", TWO),
    _math("hypot", "the root of the sum of squares", "3., 4.", "(*coordinates: number)"),
    _math("gcd", "the greatest common divisor", "12, 18", "(*integers: count)", "integers"),
    _math("lcm", "the least common multiple", "4, 6", "(*integers: count)", "integers"),
)
# fmt: on

ROWS = BUILTINS + MATH
