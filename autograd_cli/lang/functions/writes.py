"""Functions that change a tensor in place: those of their own, and the twin `add_` of `add`.

A twin means what its row means and takes what it takes, but for the tensor that it changes.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from autograd_cli.lang.functions.rows import Example, Function, Kind, row
from autograd_cli.lang.vocabulary import words

_row = partial(row, method=True, writes=True)
_fill = partial(_row, kind=Kind.CREATION, domain="any; the gradient of what was there is 0")

A = "[1.5,-0.3]"
M = "[[1.5,-0.3],[0.2,2.5]]"

# Whose twin is a method alone, and whose a function besides, as `relu_(x)` is.
METHODS = words(
    """
    absolute add addbmm addcdiv addcmul addmm addr arctan2 atan2 baddbmm bitwise_and
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor copysign cumprod
    cumsum digamma div divide eq erfinv float_power floor_divide fmod ge greater greater_equal gt
    heaviside hypot igamma igammac index_add index_copy index_fill index_reduce le lerp less
    less_equal lgamma logical_and logical_not logical_or logical_xor lt masked_fill masked_scatter
    mul multiply mvlgamma ne nextafter not_equal polygamma pow put remainder renorm scatter
    scatter_add scatter_reduce sgn sign squeeze sub subtract swapaxes swapdims t transpose tril triu
    true_divide unsqueeze
    """
)
FUNCTIONS = words(
    """
    abs acos acosh addmv arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil
    clamp clamp_max clamp_min clip conj_physical cos cosh deg2rad detach erf erfc exp exp2 expm1 fill
    fix floor frac gcd i0 index_put lcm ldexp log log10 log1p log2 logit nan_to_num neg negative
    rad2deg reciprocal relu round rsqrt sigmoid sin sinc sinh sqrt square tan tanh trunc xlogy
    """
)
LAYERS = words("celu elu hardtanh leaky_relu relu rrelu selu threshold")


def _drawn(name: str, meaning: str, arguments: str, signature: str) -> Function:
    """A row for random numbers in place: its name, meaning, arguments of the example, signature."""
    return _fill(
        f"torch.Tensor.{name}",
        f"{meaning}, drawn for every element in place",
        f"zeros(2).{name}({arguments})",
        kind=Kind.RANDOM,
        signature=signature,
        differentiable=False,
    )


# fmt: off
OWN = (
    _fill("torch.zero_", "all made 0", "zero_(x.clone())", x=A),
    _fill("torch.Tensor.copy_", "the elements of src written over it", "x.clone().copy_(y)", domain="any",
          signature="(input, src, non_blocking: flag = False)", moves=True, kind=Kind.SHAPE, x=A,
          y="[0.7,2.]"),
    _fill("torch.Tensor.fill_diagonal_", "the diagonal made fill_value", "x.clone().fill_diagonal_(0.)", x=M,
          signature="(input, fill_value: number, wrap: flag = False)"),
    _drawn("uniform_", "numbers evenly from from_ up to to", "0., 1.",
           "(input, from_: number = 0, /, to: number = 1)"),
    _drawn("normal_", "normal numbers with this mean and spread", "0., 1.",
           "(input, mean: number = 0, std: number = 1)"),
    _drawn("random_", "whole numbers from from_ up to, not including, to", "0, 10",
           "(input, from_: count = 0, /, to: count = None)"),
    _drawn("bernoulli_", "1 with the chance p, else 0", "0.5", "(input, p = 0.5)"),
    _drawn("exponential_", "numbers of the exponential distribution", "1.",
           "(input, lambd: number = 1)"),
    _drawn("geometric_", "how many tries a chance of p takes", "0.5", "(input, p: number)"),
    _drawn("log_normal_", "numbers whose logarithm is normal", "1., 2.",
           "(input, mean: number = 1, std: number = 2)"),
    _drawn("cauchy_", "numbers of the Cauchy distribution", "0., 1.",
           "(input, median: number = 0, sigma: number = 1)"),
)
# fmt: on


def twins(table: Mapping[str, Function]) -> Iterator[Function]:
    """The row of each twin, made of the row of what it does without writing."""
    for name in METHODS:
        base = table.get(f"torch.Tensor.{name}") or table[f"torch.{name}"]
        called = f"x.{name}(" if base.path.startswith("torch.Tensor.") else f"{name}(x"
        yield _twin(base, f"torch.Tensor.{name}_", called, f"x.clone().{name}_(")
    for name in FUNCTIONS:
        yield _twin(table[f"torch.{name}"], f"torch.{name}_", f"{name}(x", f"{name}_(x.clone()")
    for name in LAYERS:
        path = f"torch.nn.functional.{name}"
        twin = _twin(table[path], f"{path}_", f"F.{name}(x", f"F.{name}_(x.clone()")
        alone = twin.signature.replace(", *, inplace: flag = False", "")
        yield twin._replace(method=False, signature=alone)


def _twin(base: Function, path: str, called: str, calls: str) -> Function:
    """The row of `base` under another path, whose example has `calls` where `called` was."""
    assert base.example is not None
    source = base.example.source.replace(called, calls).replace("_(, ", "_(")
    twin = base._replace(
        path=path,
        key=f"{base.key}_",
        meaning=f"{base.meaning}: in place",
        example=Example(source, base.example.bindings),
        signature=base.method_signature or base.signature,
        method_signature="",
        method=True,
        aliases=(),
        writes=True,
    )
    return twin._replace(**_OTHERWISE.get(base.name, {}))


_ZERO = {"differentiable": True, "domain": "any real, with gradient 0 everywhere"}
_TRUTH = {"domain": "integers and truth values; of floats torch passes the gradient on as if unchanged"}
_ANGLE = {"differentiable": False, "domain": "numbers without grad: torch has no derivative for it in place"}


def _truth(name: str, arguments: str) -> dict[str, Any]:
    example = Example(f"x.clone().{name}_({arguments})", {"x": "tensor([True,False])"})
    return {**_TRUTH, "example": example}


# What is otherwise with the twin.
_OTHERWISE: dict[str, dict[str, Any]] = {
    **dict.fromkeys(words("eq ge greater greater_equal gt le less less_equal lt ne not_equal"), _ZERO),
    **{name: _truth(name, "x") for name in words("logical_and logical_or logical_xor")},
    "logical_not": _truth("logical_not", ""),
    **{
        name: {**_ANGLE, "example": Example(f"{name}_(x.detach().clone())", {"x": x})}
        for names, x in (("acosh arccosh", "[1.5,3.]"), ("asinh arcsinh atanh arctanh", "[-0.5,0.7]"))
        for name in words(names)
    },
    **{
        name: {"example": Example(f"x.detach().clone().{name}_(y.detach())", {"x": A, "y": "[0.7,2.]"})}
        for name in ("floor_divide", "heaviside")
    },
    "float_power": {
        "example": Example("x.clone().double().float_power_(y)", {"x": "[1.5,0.3]", "y": "[0.7,2.]"})
    },
    "igamma": {"example": Example("tensor([2.,3.]).igamma_(x)", {"x": "[1.5,0.3]"})},
    "igammac": {"example": Example("tensor([2.,3.]).igammac_(x)", {"x": "[1.5,0.3]"})},
}

ROWS = OWN
