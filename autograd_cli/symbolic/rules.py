"""All derivative rules by the key that the function table gives: one row a function."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from inspect import signature

from autograd_cli.symbolic import (
    contractions,
    convolution,
    distances,
    elementwise,
    indexing,
    linalg,
    losses,
    moving,
    normalisation,
    pooling,
    powers,
    products,
    reductions,
    running,
    several,
    shapes,
    writing,
)
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand
from autograd_cli.symbolic.pieces import counted, item_of
from autograd_cli.symbolic.texts import Contributions, contributions as from_texts, together
from autograd_cli.symbolic.unwritten import UNWRITTEN
from autograd_cli.symbolic.values import Value

FUNCTIONS: dict[str, Callable[..., Contributions]] = together(
    {
        "pow": powers.power,
        "float_power": powers.power,
        "over_power": powers.over_power,
        "x_log_x": powers.times_its_log,
        "polygamma": powers.polygamma,
        "tensor_polygamma": powers.polygamma,
        "sum": reductions.total,
        "mean": reductions.mean,
        "prod": reductions.product,
        "logsumexp": reductions.logsumexp,
        "var": reductions.variance,
        "std": reductions.deviation,
        "norm": reductions.norm,
        "vector_norm": reductions.norm,
        "linalg_norm": reductions.linalg_norm,
        "matrix_norm": reductions.matrix_norm,
        "amax": reductions.extreme,
        "amin": reductions.extreme,
        "max": reductions.extreme,
        "min": reductions.extreme,
        "median": reductions.extreme,
        "nanmedian": reductions.extreme,
        "softmax": reductions.softmax,
        "softmin": reductions.softmin,
        "log_softmax": reductions.log_softmax,
        "T": shapes.reversed_dims,
        "movedim": shapes.movedim,
        "flip": shapes.flip,
        "roll": shapes.roll,
        "tril": shapes.triangle,
        "triu": shapes.triangle,
        "cat": shapes.cat,
        "stack": shapes.stack,
        "trace": shapes.trace,
        "msort": several.sorted_alone,
        "getitem": indexing.getitem,
        "masked_select": indexing.masked_select,
        "gather": indexing.gather,
        "index_select": indexing.index_select,
    },
    products.RULES,
    contractions.RULES,
    linalg.RULES,
    convolution.RULES,
    normalisation.RULES,
    distances.RULES,
    dict.fromkeys(("clone", "contiguous", "to", "type", "type_as", "cpu", "cuda"), shapes.same),
    dict.fromkeys(("alias_copy", "expand_copy", "resolve_neg"), shapes.same),
    dict.fromkeys(("float", "double", "half", "bfloat16"), shapes.same),
    dict.fromkeys(("expand", "expand_as", "broadcast_to"), shapes.same),
    dict.fromkeys(("reshape", "reshape_as", "view", "view_as", "view_copy"), shapes.reshape),
    dict.fromkeys(("flatten", "ravel", "unflatten"), shapes.reshape),
    dict.fromkeys(("atleast_1d", "atleast_2d", "atleast_3d"), shapes.reshape),
    dict.fromkeys(("squeeze", "squeeze_copy"), shapes.squeeze),
    dict.fromkeys(("unsqueeze", "unsqueeze_copy"), shapes.unsqueeze),
    dict.fromkeys(
        ("t", "t_copy", "mT", "transpose", "transpose_copy", "H", "mH", "adjoint"), shapes.transpose
    ),
    dict.fromkeys(("permute", "permute_copy"), shapes.permute),
    dict.fromkeys(("diagonal", "diagonal_copy"), shapes.diagonal),
    moving.RULES,
    writing.RULES,
    running.RULES,
    dict.fromkeys(("select", "select_copy"), indexing.select),
    dict.fromkeys(("narrow", "narrow_copy"), indexing.narrow),
    losses.RULES,
    pooling.RULES,
)


@cache
def _takes(rule: Callable[..., Contributions], count: int, names: tuple[str, ...]) -> bool:
    """Whether a rule can be given so many arguments of a call and these keywords."""
    try:
        signature(rule).bind(None, None, *[None] * count, **dict.fromkeys(names))
    except TypeError:
        return False
    return True


def is_known(key: str) -> bool:
    """Whether there is a rule of this key."""
    return key in elementwise.ROWS or key in FUNCTIONS or key in several.RULES


def is_elementwise(key: str) -> bool:
    """Whether the rule of this key is a row of local factors."""
    return key in elementwise.ROWS


def _no_rule(call: Call) -> str:
    """Why there is no rule."""
    if call.step.key.startswith("--use "):
        return f"{call.name} is a function of your own, and a formula is not known of it"
    return f"{call.name} {UNWRITTEN.get(call.step.key, 'has no derivative rule yet')}"


PAIRS = {"max": "maximum", "min": "minimum"}
"""Functions of one tensor that are another function when given two."""


def contributions(call: Call, cotangent: Value) -> Contributions:
    """What `call` passes to its active operands, each of the result's shape or the operand's.

    Raises NoRuleError with the reason where there is no formula.
    """
    key = call.step.key
    first = call.args[0] if call.args else None
    if not key and isinstance(first, Operand) and first.step is not None and first.step.shape is None:
        return [(replace(first, shape=cotangent.shape, item=item_of(call)), cotangent)]
    if key in PAIRS and len(call.operands) == 2:
        key, call = PAIRS[key], replace(call, args=tuple(call.operands), kwargs={})
    if key in elementwise.ROWS:
        return from_texts(elementwise.ROWS[key], call, cotangent)
    if key not in FUNCTIONS:
        raise NoRuleError(_no_rule(call))
    if call.step.shape is None:
        raise NoRuleError(f"{call.name} with several results has no derivative rule yet")
    if cotangent.is_zero:
        return [(target, Value((), target.shape)) for target in call.operands if target.active]
    rule = FUNCTIONS[key]
    if not _takes(rule, len(call.args), tuple(call.kwargs)):
        raise NoRuleError(f"{call.name} has no derivative rule for these arguments yet")
    found = rule(call, cotangent, *call.args, **call.kwargs)
    return [(target, value) for target, value in found if target.active]


def contributions_of_several(call: Call, cotangents: Mapping[int, Value]) -> Contributions:
    """What a call of several results passes to its active operands, by the cotangent of each result.

    Raises NoRuleError with the reason where there is no formula.
    """
    rule = several.RULES.get(call.step.key)
    if rule is None:
        raise NoRuleError(f"{call.name} with several results has no derivative rule yet")
    if not _takes(rule, len(call.args), tuple(call.kwargs)):
        raise NoRuleError(f"{call.name} has no derivative rule for these arguments yet")
    by: dict[int, Value] = {}
    for item, value in cotangents.items():
        place = counted(item, call)
        by[place] = by[place].plus(value) if place in by else value
    found = rule(call, by, *call.args, **call.kwargs)
    return [(target, value) for target, value in found if target.active]
