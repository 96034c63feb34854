"""Terms of a loss that reach a leaf only through steps without a slope, beside a term that trains it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.cuts import passed_through
from autograd_cli.diagnose.programs.cutting import CASTS, INDICES, REASONS, kind
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.trial import rerun
from autograd_cli.diagnose.programs.uncut import without
from autograd_cli.diagnose.programs.upstream import mode_around
from autograd_cli.diagnose.programs.ways import is_trained, requires_grad
from autograd_cli.diagnose.scene import STAIRCASES, is_staircase
from autograd_cli.diagnose.statements import called, expressions
from autograd_cli.errors import LimitError, Span
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.source import named
from autograd_cli.report import Finding
from autograd_cli.run.needed import operands
from autograd_cli.run.traced import BackwardCall, Observer, Traced, now

_MOST = 20_000
"""Values under a loss that are looked at."""

_PASSING = {Kind.ELEMENTWISE, Kind.REDUCTION, Kind.SHAPE, Kind.LOSS, Kind.CUT}
_SUMS = {"add", "sub", "add_", "sub_"}
_SCALES = {"mul", "div", "true_divide", "neg", "mul_", "div_", "neg_", "sum", "mean"}
_POWERS = {"pow", "square", "abs", "pow_", "square_", "abs_"}
_HOLDS = {"detach", "data", "detach_", "where", "item"}
_STEPS = STAIRCASES | INDICES | CASTS

Leaves = frozenset[int]


@dataclass(frozen=True)
class _Stiff:
    """A value that leaves go into only through `end`, which has no slope; data may have joined it.

    `is_shaped` says that it went through a power or a loss, `is_term` that it is made as terms of a loss
    are: that, or one number of several. `term` is what was added to a term that carries a gradient, and
    `names` are the leaves'.
    """

    end: Traced
    leaves: Leaves
    is_shaped: bool = False
    is_term: bool = False
    term: Traced | None = None
    names: tuple[str, ...] = ()


def held_still(whole: Whole) -> Iterator[Finding]:
    """AGX403 for a comparison, a rounding or a place that a term of a loss is made of, where another trains.

    Where such a value weighs or chooses what carries a gradient, it is a mask, and nothing is said.
    """
    if whole.ran.failure is not None or not any(map(_is_stiff, expressions(whole.program))):
        return
    if not _may_have_still_terms(whole):
        return
    said: set[Span] = set()
    for found in _seen_again(whole):
        if found.end.expr.span not in said:
            said.add(found.end.expr.span)
            yield _finding(whole, found)


def _may_have_still_terms(whole: Whole) -> bool:
    """Whether a backward starts from a sum of which one number has no graph, or goes through a rounding.

    What has no name any more may be either.
    """
    started = {number for passed in whole.ran.backwards for number in passed.roots}
    roots = [traced for traced in whole.values if traced.number in started]
    return len(roots) < len(started) or any(map(_has_still_term, filter(requires_grad, roots)))


def _has_still_term(root: Traced) -> bool:
    return any(
        is_staircase(each)
        or (name in _SUMS and _size(each) == 1 and not all(map(requires_grad, _given(each))))
        for each in _under(root)
        for name in [_called(each)[0]]
    )


def _seen_again(whole: Whole) -> list[_Stiff]:
    """What is found where the program runs again, and variables remember what they were made of."""
    settings = replace(whole.ran.settings, keeps=True)
    watcher = _Watcher(whole)
    try:
        rerun(replace(whole.ran, settings=settings), whole.source.text, watcher)
    except LimitError:  # it takes too long to be run again
        return []
    return watcher.found


class _Watcher(Observer):
    """Looks at what each backward of a run starts from, the first at each place."""

    def __init__(self, whole: Whole) -> None:
        self.whole = whole
        self.found: list[_Stiff] = []
        self._seen: set[Span] = set()

    def before(self, call: BackwardCall) -> None:
        """Look at the root while what it was made of is remembered."""
        if call.span in self._seen:
            return
        self._seen.add(call.span)
        for root in filter(requires_grad, call.roots):
            found = _Ways(self.whole, root).found()
            if found is not None:
                self.found.append(replace(found, names=_names(call.names, found.leaves)))


def _is_stiff(expr: nodes.Expr) -> bool:
    rounded = isinstance(expr, nodes.Call) and any(each.name == "rounding_mode" for each in expr.keywords)
    return rounded or isinstance(expr, nodes.Compare) or called(expr) in _STEPS or kind(expr) == "truth"


class _Ways:
    """What leaves go into the values under a root, with a gradient and without."""

    def __init__(self, whole: Whole, root: Traced) -> None:
        self.whole, self.root = whole, root
        self.depends: dict[int, Leaves] = {}
        self.carries: dict[int, Leaves] = {}
        self.stiff: dict[int, _Stiff] = {}

    def found(self) -> _Stiff | None:
        """The term of the root that gives leaves no gradient which others of its terms give one."""
        under = _under(self.root)
        if len(under) > _MOST:
            return None
        for traced in under:
            self._enter(traced)
        stiff = self.stiff.get(id(self.root))
        if stiff is None or stiff.term is None:
            return None
        leaves = stiff.leaves & self.carries[id(self.root)]
        return replace(stiff, leaves=leaves) if leaves else None

    def _enter(self, traced: Traced) -> None:
        if is_trained(traced.value):
            self.depends[id(traced)] = self.carries[id(traced)] = frozenset([id(traced.value)])
            return
        given = _given(traced)
        made = _called(traced)[1] in (Kind.CREATION, Kind.RANDOM)
        carried = _union(self.carries, given)
        self.depends[id(traced)] = frozenset() if made else _union(self.depends, given)
        passes = requires_grad(traced) and not is_staircase(traced)
        self.carries[id(traced)] = carried if passes else frozenset()
        stiff = self._begun(traced, carried) or self._on(traced, given)
        if stiff is not None:
            self.stiff[id(traced)] = stiff

    def _begun(self, traced: Traced, carried: Leaves) -> _Stiff | None:
        """A value that a step without a slope makes of what carries a gradient."""
        value = traced.value
        if not carried or not isinstance(value, torch.Tensor) or traced.kind != "call":
            return None
        is_flat = is_staircase(traced) or not (value.is_floating_point() or value.is_complex())
        if not is_flat or mode_around(self.whole, self.whole.statement(traced.expr.span)) is not None:
            return None
        return _Stiff(traced, carried)

    def _on(self, traced: Traced, given: Sequence[Traced]) -> _Stiff | None:
        """A value made of such a one and of data; None where anything else is in it, unless it is added."""
        held = [self.stiff[id(each)] for each in given if id(each) in self.stiff]
        name, what = _called(traced)
        if not held or not isinstance(traced.value, torch.Tensor) or what not in _PASSING or name in _HOLDS:
            return None
        others = [each for each in given if id(each) not in self.stiff]
        first = replace(held[0], leaves=frozenset().union(*(each.leaves for each in held)))
        if any(each.term for each in held) or any(self.depends.get(id(each)) for each in others):
            return self._summed(traced, given, first)
        is_one = traced.value.numel() == 1 and any(_size(each) > 1 for each in given)
        shaped = first.is_shaped or name in _POWERS or what is Kind.LOSS
        is_stairs = is_staircase(first.end)
        ready = first.is_term or (is_one and not is_stairs) or shaped
        return replace(first, is_shaped=shaped, is_term=ready)

    def _summed(self, traced: Traced, given: Sequence[Traced], first: _Stiff) -> _Stiff | None:
        """What stands in a sum of numbers, or is a sum's multiple."""
        name = _called(traced)[0]
        if any(_size(each) > 1 for each in (traced, *given)) or not (first.is_term or first.term):
            return None
        if name in _SUMS:
            term = next(each for each in given if id(each) in self.stiff)
            return replace(first, term=first.term or term)
        is_scaled = name in _SCALES and not any(
            self.depends[id(one)] for one in given if id(one) not in self.stiff
        )
        return first if is_scaled else None


def _under(root: Traced) -> list[Traced]:
    """The values under a root, what variables were made of before they were cut from the graph too."""
    seen: dict[int, Traced] = {}
    stack = [root]
    while stack and len(seen) <= _MOST:
        top = stack.pop()
        if id(top) not in seen:
            seen[id(top)] = top
            stack += [] if is_trained(top.value) else _given(top)
    return sorted(seen.values(), key=lambda traced: traced.number)


def _given(traced: Traced) -> list[Traced]:
    return [operand for operand, _ in operands(traced, deep=True)]


def _union(known: dict[int, Leaves], given: Sequence[Traced]) -> Leaves:
    return frozenset().union(*(known.get(id(each), frozenset()) for each in given))


def _called(traced: Traced) -> tuple[str, Kind | None]:
    function = traced.function
    return ("", None) if function is None else (function.name, function.kind)


def _size(traced: Traced) -> int:
    return traced.value.numel() if isinstance(traced.value, torch.Tensor) else 1


# In words


def _finding(whole: Whole, found: _Stiff) -> Finding:
    expr, term = found.end.expr, found.term
    assert term is not None
    text, made = drawing.quoted(whole.source[expr.span]), drawing.quoted(whole.source[term.expr.span])
    get = "gets" if len(found.names) == 1 else "get"
    reason = REASONS.get(_kind(found.end), "is flat between its jumps")
    return whole.finding(
        "AGX403",
        f"{named(found.names)} {get} no gradient from {made}, a term of the loss, only from "
        f"what is added to it: {text} on {whole.where(expr.span)} {reason}.",
        name="nondifferentiable-op-in-loss",
        span=expr.span,
        fix=(*filter(None, [passed_through(whole.source, expr)]),)
        if is_staircase(found.end)
        else tuple(without(whole, expr, _kind(found.end))),
        leaves=list(found.names),
    )


def _kind(end: Traced) -> str:
    if is_staircase(end):
        return ""
    truth = isinstance(end.value, torch.Tensor) and end.value.dtype == torch.bool
    return kind(end.expr) or ("truth" if truth else "whole")


def _names(held: Mapping[str, Any], leaves: Leaves) -> tuple[str, ...]:
    """What a program calls leaves."""
    values = {name: now(each).value for name, each in held.items() if isinstance(each, Traced)}
    return tuple(name for name, value in values.items() if id(value) in leaves) or ("a leaf",)
