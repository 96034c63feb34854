"""What tutorials use of NumPy beside torch: arrays made, rounded, summed, and handed over."""

from functools import partial

from autograd_cli.lang.functions.rows import Function, Kind, row

_make = partial(row, kind=Kind.CREATION, method=False, differentiable=False, domain="a new array")
_random = partial(_make, kind=Kind.RANDOM, domain="a new array, drawn at random")
_cut_of = partial(row, kind=Kind.CUT, method=False, differentiable=False, domain="arrays of NumPy")
_cut = partial(row, kind=Kind.CUT, differentiable=False)

SIZE = "(shape: size, dtype: dtype = None)"
RANGE = "(start: count = 0, stop: count = None, step: count = 1, dtype: dtype = None)"
LINE = (
    "(start: number, stop: number, num: count = 50, endpoint: flag = True, retstep: flag = False,"
    " dtype: dtype = None)"
)
CLOSE = "(a, b, rtol: number = 1e-05, atol: number = 1e-08, equal_nan: flag = False)"
ALONG = "(a, axis: dim = None, dtype: dtype = None)"
TWO = "(x, y)"
A = "[1.5,-0.25]"


def _of(name: str, meaning: str, arguments: str = "", signature: str = "(a)") -> Function:
    """A row for a method of arrays: its name, meaning, the arguments of the example, signature."""
    return _cut(
        f"numpy.ndarray.{name}",
        meaning,
        f"import numpy as np; np.array([1.25, 2.5]).{name}({arguments})",
        signature=signature,
        key=f"ndarray_{name}",
        method=False,
        domain="arrays of NumPy",
    )


def _read(name: str, meaning: str) -> Function:
    """A row for an attribute of arrays: its name, its meaning."""
    return _cut(
        f"numpy.ndarray.{name}",
        meaning,
        f"import numpy as np; np.array([1.25, 2.5]).{name}",
        key=f"ndarray_{name}",
        method=False,
        attribute=True,
        domain="arrays of NumPy",
    )


def _numpy(maker: "partial[Function]", name: str, meaning: str, arguments: str, signature: str) -> Function:
    """A row of numpy: its name, meaning, the arguments of the example, signature."""
    example = f"import numpy as np; np.{name}({arguments})"
    return maker(f"numpy.{name}", meaning, example, signature=signature, key=f"numpy_{name}")


# fmt: off
MADE = (
    _numpy(_make, "array", "an array of these numbers, float64 for floats", "[1., 2.]",
           "(object: number, dtype: dtype = None)"),
    _numpy(_make, "zeros", "all 0, in float64", "(2, 3)", SIZE),
    _numpy(_make, "ones", "all 1, in float64", "(2, 3)", SIZE),
    _numpy(_make, "arange", "start, start + step, … below stop", "0, 10, 2", RANGE),
    _numpy(_make, "linspace", "so many numbers from start to stop, evenly", "0, 1, 5", LINE),
    _numpy(_make, "allclose", "whether all elements are near each other's", "[1.], [1.]", CLOSE),
    _numpy(_make, "random.seed", "random numbers of NumPy that repeat from here on", "0", "(seed: count)"),
    _numpy(_random, "random.rand", "evenly from 0 up to 1", "2, 3", "(*d: size)"),
    _numpy(_random, "random.randn", "from the normal distribution", "2, 3", "(*d: size)"),
)

COMPUTED = (
    *(_numpy(_cut_of, name, meaning, f"{A}, [2., 4.]", TWO) for name, meaning in (
        ("add", "the sum of each pair"), ("subtract", "the difference of each pair"),
        ("multiply", "the product of each pair"), ("divide", "the quotient of each pair"),
        ("power", "each to the power of the other"), ("maximum", "the larger of each pair"),
        ("dot", "the sum of the products"),
    )),
    *(_numpy(_cut_of, name, meaning, "[1., 4.]", "(x)") for name, meaning in (
        ("sqrt", "the square root"), ("exp", "e to the power x"), ("log", "the natural logarithm"),
        ("sin", "the sine"), ("cos", "the cosine"), ("abs", "the distance from 0"),
    )),
    *(_numpy(_cut_of, name, meaning, "[1., 4.]", signature) for name, meaning, signature in (
        ("sum", "the sum, or those along an axis", ALONG),
        ("mean", "the mean, or those along an axis", ALONG),
        ("max", "the largest, or those along an axis", "(a, axis: dim = None)"),
        ("min", "the smallest, or those along an axis", "(a, axis: dim = None)"),
        ("std", "the spread, by n", ALONG), ("var", "its square, by n", ALONG),
        ("argmax", "where the largest is", "(a, axis: dim = None)"),
        ("argmin", "where the smallest is", "(a, axis: dim = None)"),
    )),
    _numpy(_cut_of, "matmul", "the product of matrices", "[[1., 2.]], [[1.], [2.]]", TWO),
    _numpy(_make, "full", "all fill_value", "(2, 3), 7.",
           "(shape: size, fill_value: number, dtype: dtype = None)"),
    _numpy(_make, "eye", "1 on the diagonal, else 0", "2", "(N: size, dtype: dtype = None)"),
    _numpy(_make, "array_equal", "whether two are the same in shape and elements", "[1.], [1.]", TWO),
)

HANDED_OVER = (
    _cut("torch.from_numpy", "a tensor of the array's memory", method=False, domain="arrays of NumPy",
         example="import torch; import numpy as np; torch.from_numpy(np.array([1., 2.]))",
         signature="(ndarray)"),
    _cut("torch.Tensor.numpy", "an array of the tensor's memory", "x.detach().numpy()",
         signature="(input, *, force: flag = False)", domain="tensors on the CPU without grad", x=A),
)

ARRAYS = (
    _of("round", "rounded to so many decimals", "1", "(a, decimals: count = 0)"),
    _of("sum", "the sum", "", ALONG),
    _of("mean", "the mean", "", ALONG),
    _of("copy", "an array of the same numbers in memory of its own"),
    _of("astype", "in another dtype", "'float32'", "(a, dtype: dtype)"),
    _of("reshape", "the same memory in another shape", "2, 1", "(a, *shape: size)"),
    _of("tolist", "the elements as Python numbers"),
    _of("item", "one element as a Python number", "0", "(a, *args: index)"),
    _read("shape", "the sizes of the dims"),
    _read("dtype", "the type of the elements"),
    _read("ndim", "the number of dims"),
    _read("T", "the dims in reverse order"),
)
# fmt: on

ROWS = MADE + COMPUTED + HANDED_OVER + ARRAYS
