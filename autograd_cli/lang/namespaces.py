"""The names of the prelude that are no functions: modules, constants, dtypes, attributes."""

from dataclasses import dataclass

from autograd_cli.lang.vocabulary import words

# What the prelude calls each module: `import torch.nn.functional as F` and its like.
MODULES: dict[str, str] = {
    "torch": "torch",
    "math": "math",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "linalg": "torch.linalg",
    "special": "torch.special",
    "fft": "torch.fft",
    "optim": "torch.optim",
    "builtins": "builtins",
}

# `from builtins import …` after `from torch import *`: these are Python's.
FROM_BUILTINS = frozenset({"bool", "complex", "float", "int", "range"})

# torch's on a tensor, Python's on anything else.
EITHER = frozenset({"abs", "all", "any", "max", "min", "pow", "round", "sum"})


@dataclass(frozen=True)
class NamedConstant:
    """A name with a value of its own: `pi`, `float32`, `channels_last`.

    `value` is a number or None, or the path of what torch alone has: "torch.float32".
    """

    path: str
    value: float | str | None
    meaning: str


_NUMBERS = (
    ("pi", 3.141592653589793, "the circumference of a circle over its diameter"),
    ("e", 2.718281828459045, "the base of the natural logarithm"),
    ("inf", float("inf"), "infinity"),
    ("nan", float("nan"), "not a number"),
)
_DTYPES = words(
    "float64 float32 float16 bfloat16 complex128 complex64 complex32 int64 int32 int16 int8 uint8 bool "
    "double float half long int short cdouble cfloat chalf"
)

_NUMPY_DTYPES = words("float64 float32 float16 int64 int32 int16 int8 uint8 bool_ complex128 complex64")

# `from torch import *` leaves these out, so that they are called torch.channels_last.
MEMORY_FORMATS = words("channels_last channels_last_3d contiguous_format preserve_format")

# What stands in torch, and `from torch import *` does not bring.
NOT_BARE = frozenset(
    {
        *MEMORY_FORMATS,
        "__version__",
        "HalfTensor",
        "broadcast_shapes",
        "lu",
        "pca_lowrank",
        "svd_lowrank",
        "unique",
    }
)

_CUDNN = (
    ("enabled", "whether cuDNN is used"),
    ("benchmark", "whether cuDNN tries which way is fastest"),
    ("deterministic", "whether cuDNN takes ways that repeat alone"),
)

# A dtype that Python's own types stand for, where torch takes one for a dtype.
_PYTHON_TYPES = {"float": "float64", "int": "int64", "bool": "bool", "complex": "complex128"}


def _constants() -> dict[str, NamedConstant]:
    """Every constant by its full path."""
    rows = [NamedConstant(f"torch.{name}", value, meaning) for name, value, meaning in _NUMBERS]
    rows += [NamedConstant(f"math.{name}", value, meaning) for name, value, meaning in _NUMBERS]
    rows += [NamedConstant(f"numpy.{name}", value, meaning) for name, value, meaning in _NUMBERS]
    rows += [NamedConstant("math.tau", 6.283185307179586, "twice pi")]
    rows += [NamedConstant("torch.__version__", "torch.__version__", "the release of torch")]
    rows += [NamedConstant("torch.version.cuda", "torch.version.cuda", "the release of CUDA, None without")]
    rows += [
        NamedConstant(f"torch.backends.cudnn.{name}", f"torch.backends.cudnn.{name}", meaning)
        for name, meaning in _CUDNN
    ]
    rows += [NamedConstant("torch.newaxis", None, "None, as an index: a new dim of size 1")]
    rows += [NamedConstant(f"torch.{name}", f"torch.{name}", "a dtype") for name in _DTYPES]
    rows += [NamedConstant(f"torch.{name}", f"torch.{name}", "a memory format") for name in MEMORY_FORMATS]
    rows += [NamedConstant(f"numpy.{name}", f"numpy.{name}", "a dtype of NumPy") for name in _NUMPY_DTYPES]
    rows += [
        NamedConstant(f"builtins.{name}", f"torch.{dtype}", f"Python's {name}, as a dtype {dtype}")
        for name, dtype in _PYTHON_TYPES.items()
    ]
    return {row.path: row for row in rows}


CONSTANTS = _constants()

ATTRIBUTES: dict[str, str] = {
    "shape": "the sizes of the dims",
    "dtype": "the type of the elements",
    "device": "where the elements are",
    "layout": "how the elements lie in memory",
    "ndim": "the number of dims",
    "real": "the real part",
    "imag": "the imaginary part",
    "grad": "the gradient, after a backward",
    "grad_fn": "the node that made the tensor",
    "is_leaf": "whether no node made the tensor",
    "requires_grad": "whether operations on it are recorded",
    "retains_grad": "whether a tensor that is no leaf keeps its gradient",
    "data": "the same elements, outside of the graph",
    "itemsize": "bytes of one element",
    "nbytes": "bytes of all elements",
    "is_cuda": "whether it is on a CUDA device",
    "is_cpu": "whether it is on the CPU",
    "is_meta": "whether it has a shape and no elements",
    "is_sparse": "whether zeros are left out of memory",
    "is_complex": "of a dtype: whether it is complex",
    "is_floating_point": "of a dtype: whether it is floating",
    "type": "of a device: its kind",
    "index": "of a device: its number",
    "is_mps": "whether it is on an MPS device",
    "is_xpu": "whether it is on an XPU device",
    "next_functions": "of a node: the nodes that a gradient goes to next",
    "variable": "of AccumulateGrad: the leaf",
    "T": "the dims in reverse order; of a matrix its transpose",
    "mT": "the last two dims swapped",
    "H": "the transposed matrix, conjugated",
    "mH": "the last two dims swapped, conjugated",
}

# Fields of what a function with several results gives: `max(x, 0).values`.
FIELDS = frozenset(
    words(
        "values indices min max sign logabsdet eigenvalues eigenvectors mantissa exponent solution residuals "
        "rank singular_values inverse info pivots hist bin_edges result a tau L LD LU P Q R S U V Vh "
        "cloned_coefficient"
    )
)
