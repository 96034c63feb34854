"""What keeps a program inside of its domain: the first node that stands at the edge of its own."""

from collections.abc import Iterator
from math import inf
from typing import NamedTuple

import torch

from autograd_cli.report import Ref, refs
from autograd_cli.run.tape import LiveStep, Run

_POSITIVE = ("sqrt", "rsqrt", "log", "log2", "log10")
_WITHIN_1 = ("acos", "arccos", "asin", "arcsin", "atanh", "arctanh", "erfinv")
_DOMAINS: dict[str, tuple[float, float]] = {
    **dict.fromkeys(_POSITIVE, (0.0, inf)),
    **dict.fromkeys(_WITHIN_1, (-1.0, 1.0)),
    "log1p": (-1.0, inf),
    "acosh": (1.0, inf),
    "arccosh": (1.0, inf),
    "logit": (0.0, 1.0),
}
"""By function, between what its operand has a finite slope."""
_NEVER_BELOW = frozenset(
    {"abs", "absolute", "norm", "vector_norm", "matrix_norm", "dist", "cdist", "hypot", "std", "var"}
    | {"sqrt", "square", "exp", "exp2", "cosh", "sigmoid", "softmax", "relu", "softplus"}
)
"""Functions that are 0 or more; a sum of what is so is as well."""
_OF_THESE = frozenset({"sum", "mean", "amax", "amin", "max", "min", "reshape", "unsqueeze", "squeeze"})
_DIVIDE = frozenset({"div", "divide", "true_divide"})
_CHOOSE = frozenset({"where", "masked_fill"})
_SMALL, _ASIDE = "1e-12", "1e-6"


class _Edge(NamedTuple):
    """A node, the operand that is at an edge of its domain or beyond, and the open domain."""

    step: LiveStep
    operand: LiveStep
    low: float
    high: float


def bound(run: Run, name: str) -> str:
    """How to keep the leaf `name` where the function has a slope; in general words where no node is found."""
    edge = next(_edges(run, name), None)
    if edge is None:
        return "keep the input where the function has finite values on both sides"
    source = run.program.source
    if _is_chosen_from(run, edge.step):
        whole = source[edge.step.expr.span]
        return f"give {whole} a safe operand where its value is not taken, by a where inside of it"
    text, value = source[edge.operand.expr.span], edge.operand.value
    if edge.low == -inf or bool((value < edge.low).any()) or bool((value > edge.high).any()):
        return f"keep {text} {_words(edge)}"
    return f"keep {text} {_words(edge)}, as by {_in_brackets(text)}.clamp({_limits(edge)})"


def _words(edge: _Edge) -> str:
    if edge.low == -inf:
        return "away from 0"
    return f"above {edge.low:g}" if edge.high == inf else f"between {edge.low:g} and {edge.high:g}"


def _limits(edge: _Edge) -> str:
    if edge.high == inf:
        return f"min={_SMALL}" if edge.low == 0 else f"min={edge.low:g}+{_ASIDE}"
    low = _ASIDE if edge.low == 0 else f"{edge.low:g}+{_ASIDE}"
    return f"{low}, {edge.high:g}-{_ASIDE}"


def _in_brackets(text: str) -> str:
    """An operand as a method may follow it."""
    is_whole = text.isidentifier() or (text.count("(") == 1 and text.endswith(")") and " " not in text)
    head = text.partition("(")[0]
    return text if is_whole and all(part.isidentifier() for part in head.split(".")) else f"({text})"


def _edges(run: Run, name: str) -> Iterator[_Edge]:
    """The nodes that the leaf goes into whose operand is at the edge of its domain or beyond, in order."""
    reached = {step.index for step in run.steps if step.kind == "binding" and step.name == name}
    for index in run.needed():
        step = run.steps[index]
        operands = [ref.index for ref in refs((step.args, step.kwargs))] if step.kind == "call" else []
        if reached.isdisjoint(operands):
            continue
        reached.add(index)
        found = _domain(run, step, operands)
        if found is not None and found.operand.index in reached and _is_outside(found):
            yield found


def _domain(run: Run, step: LiveStep, operands: list[int]) -> _Edge | None:
    """The operand of a step that has to be within bounds, and these."""
    function = step.function.name if step.function else ""
    first = run.steps[operands[0]]
    if function == "reciprocal":
        return _Edge(step, first, *_sides(run, first))
    if function in _DIVIDE and step.args and isinstance(step.args[-1], Ref):
        divisor = run.steps[step.args[-1].index]
        return _Edge(step, divisor, *_sides(run, divisor))
    if function == "pow" and len(step.args) == 2 and not isinstance(step.args[0], int | float):
        exponent = run.steps[step.args[1].index].value if isinstance(step.args[1], Ref) else step.args[1]
        is_whole = isinstance(exponent, int | float) and exponent >= 1
        return None if is_whole and exponent == int(exponent) else _Edge(step, first, 0.0, inf)
    found = _DOMAINS.get(function)
    return None if found is None else _Edge(step, first, *found)


def _sides(run: Run, divisor: LiveStep) -> tuple[float, float]:
    """The domain of what is divided by: both sides of 0, or what is above where none of it is ever below."""
    return (0.0 if _is_never_below(run, divisor) else -inf), inf


def _is_never_below(run: Run, step: LiveStep) -> bool:
    """Whether a value is 0 or more whatever the inputs are, as far as its function tells."""
    function, args = step.function.name if step.function else "", step.args
    if function in _NEVER_BELOW:
        return True
    if function == "pow" and len(args) == 2 and isinstance(args[1], int | float):
        return args[1] % 2 == 0
    is_of_one = function in _OF_THESE and bool(args) and isinstance(args[0], Ref)
    return is_of_one and _is_never_below(run, run.steps[args[0].index])


def _is_outside(edge: _Edge) -> bool:
    value = edge.operand.value
    if not isinstance(value, torch.Tensor) or value.is_complex():
        return False
    if edge.low == -inf:
        return bool((value == 0).any())
    return not bool(((value > edge.low) & (value < edge.high)).all())


def _is_chosen_from(run: Run, step: LiveStep) -> bool:
    """Whether the result goes into a choice between branches."""
    users = (s for s in run.steps if s.kind == "call" and s.function and s.function.name in _CHOOSE)
    return any(Ref(step.index) in refs((user.args, user.kwargs)) for user in users)
