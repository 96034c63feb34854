"""AGX407: a loss over all pairs, where a column met a row and all of it was reduced to the loss."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any
from weakref import ref

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.pairs import is_column_and_row
from autograd_cli.diagnose.watching import graphs
from autograd_cli.diagnose.watching.found import Found
from autograd_cli.diagnose.watching.mode import PLAIN, Made, apart
from autograd_cli.diagnose.watching.operands import Operands, operands
from autograd_cli.diagnose.watching.places import place
from autograd_cli.diagnose.watching.records import Spot
from autograd_cli.diagnose.watching.told import bracketed, make, number
from autograd_cli.report.diagnosis import Placed
from autograd_cli.report.values import shape_text

_LOSSES = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss"})
_PAIRED = _LOSSES | frozenset(
    {"sub", "__sub__", "__rsub__", "rsub", "add", "__add__", "__radd__", "mul", "__mul__", "__rmul__", "div"}
)
_POWERS = frozenset({"pow", "__pow__", "square", "abs", "__abs__", "sqrt", "exp", "log", "log1p", "relu"})
_SCALES = frozenset({"mul", "__mul__", "__rmul__", "div", "__truediv__", "neg", "__neg__", "add", "__add__"})
_FOLLOWED = _POWERS | _SCALES | frozenset({"mean", "sum", "clamp", "flatten", "__radd__"})
"""What is followed from the pairs to one number, and is computed again to show the difference."""

_MOST_OPEN = 4
_MOST_ELEMENTS = 1 << 14
_MOST_TRIES = 16
_MOST_SPOTS = 1_000
_SHOWN = 3
_NEAR = 5_000


@dataclass
class _Candidate:
    """A call on a column and a row, and what was done to its result since.

    `last` refers weakly to the latest value; `steps` are the calls that led to it, each with the place
    of that value among its arguments, None where one of them cannot be made again.
    """

    spot: Spot | None
    function: Any
    args: list[Any]
    kwargs: dict[str, Any]
    sides: tuple[int, int]
    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    sequence: int
    last: Any
    steps: list[tuple[Any, tuple[Any, ...], dict[str, Any], int]] | None = field(default_factory=list)
    is_reduced: bool = False


class Broadcasts:
    """Looks for calls on (n,1) and (n,) whose n × n results are reduced to what a backward starts from.

    Those whose results it is `following` may be among them.
    """

    def __init__(self, found: Found) -> None:
        self._found = found
        self.following: deque[_Candidate] = deque(maxlen=_MOST_OPEN)
        self._tries: dict[Any, int] = {}

    def listen(self, made: Made) -> None:
        """Look at a call that made nodes."""
        if self.following:
            self._follow(made)
        tensors = made.tensors
        if len(tensors) != 2 or abs(tensors[0].ndim - tensors[1].ndim) != 1:
            return
        if getattr(made.function, "__name__", "") in _PAIRED and _is_pair(tensors):
            self._begin(made)

    def before(self, roots: Any) -> None:
        """A backward begins: whether it starts from what was followed."""
        if not self.following:
            return
        ready = [each for each in self.following if each.is_reduced]
        self.following.clear()
        if not ready:
            return
        numbers = {node._sequence_nr() for node, _ in zip(graphs.walk(roots), range(_NEAR), strict=False)}
        for each in ready:
            if each.sequence in numbers:
                self._found.add(("pairs", each.spot), lambda each=each: _finding(each))  # type: ignore[misc]

    def _begin(self, made: Made) -> None:
        spot = made.spot
        if self._found.has(("pairs", spot)) or len(self._tries) > _MOST_SPOTS:
            return
        self._tries[spot] = self._tries.get(spot, 0) + 1
        if self._tries[spot] > _MOST_TRIES or type(made.result) not in PLAIN or _is_meant(made):
            return
        kept = [_copied(each) for each in made.args]
        places = tuple(i for i, each in enumerate(kept) if isinstance(each, torch.Tensor))
        if len(places) != 2:
            return
        first, second = made.tensors
        self.following.append(
            _Candidate(
                spot,
                made.function,
                kept,
                dict(made.kwargs or {}),
                (places[0], places[1]),
                (tuple(first.shape), tuple(second.shape)),
                made.last - 1,
                ref(made.result),
                is_reduced=made.result.numel() == 1,
            )
        )

    def _follow(self, made: Made) -> None:
        for each in self.following:
            value = each.last()
            at = next((i for i, arg in enumerate(made.args) if arg is value), None)
            if value is None or at is None or type(made.result) not in PLAIN or made.result is value:
                continue
            name = getattr(made.function, "__name__", "")
            is_plain = name in _FOLLOWED and len(made.tensors) == 1
            if each.is_reduced and not is_plain:
                continue  # the loss goes on into a sum of losses: what is shown is this part of it
            if not is_plain:
                each.steps = None
            elif each.steps is not None:
                step = (made.function, _without(made.args, at), dict(made.kwargs or {}), at)
                each.steps.append(step)
            each.last = ref(made.result)
            each.is_reduced = made.result.numel() == 1


def _without(args: Sequence[Any], at: int) -> tuple[Any, ...]:
    return tuple(None if i == at else arg for i, arg in enumerate(args))


def _is_pair(tensors: Sequence[torch.Tensor]) -> bool:
    column, row = sorted(tensors, key=lambda tensor: -tensor.ndim)
    return is_column_and_row(column, row)


def _copied(value: Any) -> Any:
    """A tensor on its own memory, without a graph; what is large is not kept."""
    if not isinstance(value, torch.Tensor):
        return value
    with apart():
        small = value.numel() <= _MOST_ELEMENTS
        return value.detach().clone().requires_grad_(value.requires_grad) if small else None


def _is_meant(made: Made) -> bool:
    """Whether the text puts the 1 in on purpose."""
    at = place(made.spot)
    if at is None:
        return False
    is_loss = getattr(made.function, "__name__", "") in _LOSSES
    return operands(at).puts_in_a_one(at, deep=not is_loss)


# What is told


def _finding(found: _Candidate) -> Placed | None:
    """The finding; None where the run shows that it makes no difference."""
    at = place(found.spot)
    texts = operands(at) if at else Operands("the first", "the second")
    names = (texts.left, texts.right)
    shapes = found.shapes
    wide = drawing.broadcast(shapes) or ()
    column = int(len(shapes[1]) > len(shapes[0]))
    code = [bracketed(node) for node in texts.nodes]
    told = [f"{drawing.quoted(names[i])} {shape_text(shapes[i])}" for i in (column, 1 - column)]
    rows = list(zip(names, shapes, drawing.aligned(shapes), strict=True))
    rows.append(("together", wide, list(wide)))
    shown, evidence = _both_ways(found, names)
    if evidence.get("same"):
        return None
    added = "[:, None]" if len(shapes[1 - column]) == 1 else "[..., None]"
    return make(
        "AGX407",
        f"{told[0]} with {told[1]} gives {shape_text(wide)}: each element meets all {wide[-1]} of the other, "
        f"{prod(wide)} pairs, and all of them go into the loss.",
        at,
        cause=(*drawing.grid(rows, {0}), *shown),
        fix=(
            f"{drawing.quoted(names[1 - column])} as a column: {code[1 - column]}{added}",
            f"or {drawing.quoted(names[column])} as a row: {code[column]}.squeeze(-1)",
        )
        if code
        else (f"give both the same shape: {added} makes a row a column, .squeeze(-1) a column a row",),
        shapes=[list(shape) for shape in shapes],
        result=list(wide),
        **evidence,
    )


def _both_ways(found: _Candidate, names: tuple[str, str]) -> tuple[list[str], dict[str, Any]]:
    """The loss and its gradient as they are, and with the row made a column."""
    try:
        with torch._C.DisableTorchFunction(), torch.enable_grad():
            plain, meant = _slope(found, False), _slope(found, True)
    except Exception:  # what cannot be computed again is not shown
        return [], {}
    if plain is None or meant is None:
        return [], {}
    place_of, loss, gradient = plain
    other, right = meant[1], meant[2]
    name = drawing.label(names[place_of])
    name = name if name.isidentifier() else f"({name})"
    rows = (
        (f"d/d {name}", *_numbers(gradient), "as it is", f"loss {number(loss)}"),
        ("", *_numbers(right), "pair by pair (run)", f"loss {number(other)}"),
    )
    if torch.allclose(gradient, right, rtol=1e-5, atol=0.0):
        return [], {"same": True}
    evidence = {
        "gradient": [gradient.flatten()[:_SHOWN].tolist(), right.flatten()[:_SHOWN].tolist()],
        "loss": [loss, other],
    }
    return list(drawing.columns(rows)), evidence


def _numbers(gradient: torch.Tensor) -> list[str]:
    return [f"{value:.4f}" for value in gradient.flatten()[:_SHOWN].tolist()]


def _slope(found: _Candidate, as_column: bool) -> tuple[int, float, torch.Tensor] | None:
    """Which side is differentiated, the value that is followed, and its gradient."""
    if found.steps is None:
        return None
    args = list(found.args)
    sides = [args[i] for i in found.sides]
    wanted = next((i for i, side in enumerate(sides) if side.requires_grad), None)
    if wanted is None:
        return None
    if as_column:
        row = found.sides[int(sides[0].ndim > sides[1].ndim)]
        args[row] = args[row].unsqueeze(-1)
    value = found.function(*args, **found.kwargs)
    for function, others, kwargs, at in found.steps:
        value = function(*(value if i == at else each for i, each in enumerate(others)), **kwargs)
    (gradient,) = torch.autograd.grad(value, sides[wanted])
    return wanted, float(value.item()), gradient
