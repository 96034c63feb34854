"""The chain rule way by way: what each way from the output to a leaf adds to its gradient.

Cotangents go down by the vjp of one node at a time, each called by hand. The sum of all ways is
carried through every node, and beside it the largest single ways. The number of ways may double
at each node, so they are counted on the way and never listed. What the nodes above a node hand
down of the engine's own cotangents is held against the one that the engine had at it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import inf, log10
from typing import Any, NamedTuple, cast

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.graph.match import carries_leaf
from autograd_cli.graph.walk import Walk
from autograd_cli.report import Values
from autograd_cli.report.chain import MOST_COUNTED

Cotangents = tuple[torch.Tensor | None, ...]
"""What arrives at a node, one for each of its outputs."""

_ROUNDING = 64
"""Units in the last place of the summands that the order of a sum may be off by."""


class Count(NamedTuple):
    """A number of ways: exact while that is at most MOST_COUNTED, and its power of ten."""

    exact: int | None
    power: float

    def plus(self, other: "Count") -> "Count":
        """Both together."""
        if self.exact is not None and other.exact is not None:
            exact = self.exact + other.exact
            return Count(exact if exact <= MOST_COUNTED else None, log10(exact))
        high, low = max(self.power, other.power), min(self.power, other.power)
        return Count(None, high + log10(1 + 10 ** (low - high)))


ONE = Count(1, 0.0)


@dataclass(slots=True)
class Trail:
    """A way so far: it came to `output` of `node` through `slot` of the node that `before` ends at.

    `value` is what it carries, let go once it is handed on; `number` stays, of a scalar.
    """

    node: int
    output: int
    shape: tuple[int, ...]
    value: torch.Tensor | None
    number: Values = None
    before: "Trail | None" = None
    slot: int = 0

    def links(self) -> list["Trail"]:
        """The trail and those before it, from the root down."""
        made: list[Trail] = []
        trail: Trail | None = self
        while trail is not None:
            made.append(trail)
            trail = trail.before
        return made[::-1]


@dataclass(slots=True)
class Arrivals:
    """What has come to one node so far: the number of ways, their sum, the ways that are followed.

    `sums` are by output of the node: of all ways, of what the engine's cotangents hand down, and
    of the sizes of the latter, which rounding goes by.
    """

    count: Count | None = None
    trails: list[Trail] = field(default_factory=list)
    total: dict[int, torch.Tensor] = field(default_factory=dict)
    handed: dict[int, torch.Tensor] = field(default_factory=dict)
    size: dict[int, torch.Tensor] = field(default_factory=dict)
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Apart:
    """A node where the engine's cotangent is not what the nodes above hand down."""

    node: int
    expected: torch.Tensor
    kept: torch.Tensor
    difference: float
    tolerance: float


@dataclass
class Followed:
    """What came to each leaf, by the number of its node, and where the engine departs from it, in order."""

    ends: dict[int, Arrivals] = field(default_factory=dict)
    apart: list[Apart] = field(default_factory=list)
    checked: int = 0


def follow(
    walk: Walk, seeds: Iterable[tuple[int, int, torch.Tensor]], kept: Sequence[Cotangents], most: int
) -> Followed:
    """The ways down from `seeds`, (node, output, cotangent) each; at each node the `most` largest go on.

    `kept` is what the engine had at each node, () where it did not come. The nodes must not have
    been freed. Of scalars the ways that are left at a leaf are the largest of all; of tensors
    they are where no node has more than `most`.
    """
    follower = _Follower(walk, kept, most)
    with torch.no_grad():
        for node, output, cotangent in seeds:
            follower.begin(node, output, cotangent)
        for number in walk.from_the_root():
            follower.pass_through(number)
    return follower.found


class _Follower:
    def __init__(self, walk: Walk, kept: Sequence[Cotangents], most: int) -> None:
        self.walk, self.kept, self.most = walk, kept, most
        self.waiting: dict[int, Arrivals] = {}
        self.found = Followed()

    def begin(self, node: int, output: int, cotangent: torch.Tensor) -> None:
        """Start a way at a root."""
        trail = Trail(node, output, tuple(cotangent.shape), cotangent, _number(cotangent))
        arrivals = self.waiting.setdefault(node, Arrivals())
        _arrive(arrivals, output, cotangent, cotangent, ONE)
        arrivals.trails.append(trail)

    def pass_through(self, number: int) -> None:
        """Compare what came to a node, and hand it on."""
        arrivals = self.waiting.pop(number, None)
        if arrivals is None:
            return
        arrivals.trails = largest(arrivals.trails, self.most)
        fn, kept = self.walk.nodes[number], self.kept[number]
        self._compare(number, arrivals, kept)
        if carries_leaf(type(fn)) or not fn.next_functions:
            self.found.ends[number] = arrivals
            return
        targets = [_target(fn, slot, to) for slot, to in enumerate(self.walk.inputs(number))]
        self._hand_on(fn, arrivals, kept, targets)

    def _hand_on(
        self, fn: GradFn, arrivals: Arrivals, kept: Cotangents, targets: Sequence["_Target | None"]
    ) -> None:
        """Give the nodes below what the sum of all ways, the engine's cotangent and each trail become."""
        outputs = max(len(_metadata(fn)), 1)
        total = tuple(arrivals.total.get(output) for output in range(outputs))
        made = vjp(fn, total, targets)
        same = not kept or all(map(_same, total, kept))
        engine = made if same else vjp(fn, kept, targets)
        assert arrivals.count is not None
        for target, part, own in zip(targets, made, engine, strict=True):
            if target is not None:
                below = self.waiting.setdefault(target.node, Arrivals())
                below.whole &= bool(kept)
                _arrive(below, target.output, part, own, arrivals.count)
        one_way = arrivals.count.exact == 1
        for trail in arrivals.trails:
            alone = (*(trail.value if n == trail.output else None for n in range(outputs)),)
            self._extend(trail, made if one_way else vjp(fn, alone, targets), targets)

    def _extend(
        self, trail: Trail, made: Sequence[torch.Tensor | None], targets: Sequence["_Target | None"]
    ) -> None:
        trail.value = None
        for slot, (target, part) in enumerate(zip(targets, made, strict=True)):
            if target is not None:
                value = target.zeros() if part is None else part
                further = Trail(
                    target.node, target.output, tuple(value.shape), value, _number(value), trail, slot
                )
                self.waiting[target.node].trails.append(further)

    def _compare(self, number: int, arrivals: Arrivals, kept: Cotangents) -> None:
        """Hold what the engine had at a node against what those above handed down of the engine's own."""
        if not kept or not arrivals.whole:
            return
        self.found.checked += 1
        for output, own in enumerate(kept):
            handed = arrivals.handed.get(output)
            if not _same(handed, own):
                like = own if own is not None else cast(torch.Tensor, handed)
                found = distance(_or_zeros(handed, like), _or_zeros(own, like), arrivals.size.get(output))
                if found[0] > found[1]:
                    self.found.apart.append(
                        Apart(number, _or_zeros(handed, like), _or_zeros(own, like), *found)
                    )
                    return


def _arrive(
    arrivals: Arrivals, output: int, part: torch.Tensor | None, own: torch.Tensor | None, count: Count
) -> None:
    """Add what comes from one node above."""
    arrivals.count = count if arrivals.count is None else arrivals.count.plus(count)
    _add(arrivals.total, output, part)
    if own is not None and output in arrivals.handed:
        _add(arrivals.size, output, arrivals.handed[output].abs() if output not in arrivals.size else None)
        _add(arrivals.size, output, own.abs())
    _add(arrivals.handed, output, own)


def _add(sums: dict[int, torch.Tensor], output: int, part: torch.Tensor | None) -> None:
    if part is not None:
        before = sums.get(output)
        sums[output] = part if before is None else before + part


class _Target(NamedTuple):
    """The node below a slot, which of its outputs fills it, and what a cotangent of that looks like."""

    node: int
    output: int
    shape: torch.Size
    dtype: torch.dtype
    device: torch.device

    def fitted(self, gradient: torch.Tensor) -> torch.Tensor:
        """A gradient as the engine hands it on: in the operand's shape, so summed if that was stretched."""
        if gradient.shape != self.shape:
            gradient = gradient.sum_to_size(self.shape)
        if gradient.dtype != self.dtype:
            real = gradient.is_complex() and not self.dtype.is_complex
            gradient = (gradient.real if real else gradient).to(self.dtype)
        return gradient

    def zeros(self) -> torch.Tensor:
        """What no gradient stands for."""
        return torch.zeros(self.shape, dtype=self.dtype, device=self.device)


def _target(fn: GradFn, slot: int, to: int | None) -> _Target | None:
    """What fills a slot; None for a constant."""
    if to is None:
        return None
    below, output = fn.next_functions[slot]
    assert below is not None
    known = _metadata(below)[output]
    return _Target(to, output, known.shape, known.dtype, known.device)


def _metadata(fn: GradFn) -> tuple[Any, ...]:
    return getattr(fn, "_input_metadata", ())


def vjp(
    fn: GradFn, given: Cotangents, targets: Sequence["_Target | None"]
) -> tuple[torch.Tensor | None, ...]:
    """What one node hands to each of its slots for the cotangents of its outputs; None where nothing.

    A cotangent has its output's shape, and what is handed to a slot that of its target. Raises what the
    node does: RuntimeError where the graph was freed or what it saved has been changed since, and
    whatever a person's own backward raises.
    """
    if all(one is None for one in given):
        return (None,) * len(targets)
    if isinstance(fn, torch.autograd.function.BackwardCFunction):
        known = _metadata(fn)
        call: Callable[..., Any] = fn.apply
        given = tuple(_or_new(one, like) for one, like in zip(given, known, strict=True))
    else:
        call = cast("Callable[..., Any]", fn)
    made = call(*given)
    parts = (*(made if isinstance(made, tuple) else (made,)), *(None,) * len(targets))
    return tuple(
        None if part is None or target is None else target.fitted(part)
        for part, target in zip(parts, targets, strict=False)
    )


def _or_new(given: torch.Tensor | None, like: Any) -> torch.Tensor:
    return torch.zeros(like.shape, dtype=like.dtype, device=like.device) if given is None else given


def _or_zeros(given: torch.Tensor | None, like: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(like) if given is None else given


def _number(value: torch.Tensor) -> Values:
    return value.item() if value.ndim == 0 else None


def largest(trails: list[Trail], most: int) -> list[Trail]:
    """The `most` largest of some ways, in that order; what is no number comes first."""
    if len(trails) <= most:
        return trails
    return sorted(trails, key=size, reverse=True)[:most]


def size(trail: Trail) -> float:
    """How much a way carries: the largest magnitude in it, infinite where one is NaN."""
    value = trail.value
    if value is None or not value.numel():
        return 0.0
    found: float = value.abs().max().item()
    return found if found == found else inf


def _same(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return one is other or (one.dtype == other.dtype and torch.equal(one, other))


def distance(
    one: torch.Tensor, other: torch.Tensor, summands: torch.Tensor | None = None
) -> tuple[float, float]:
    """The largest distance of two tensors, and what rounding allows there; equal NaN and inf are no distance.

    `summands` are the sizes that were added up, the values' own where nothing was.
    """
    if one.shape != other.shape:
        return inf, 0.0
    limits = torch.finfo(other.dtype)
    wide = torch.complex128 if other.is_complex() else torch.float64
    one, other = one.to(wide), other.to(wide)
    same = (one == other) | (one.isnan() & other.isnan())
    off = (one - other).abs().nan_to_num(nan=inf, posinf=inf).masked_fill(same, 0)
    sizes = (other.abs() if summands is None else summands.to(torch.float64)).nan_to_num(0, 0, 0)
    allowed = (sizes + limits.tiny) * (_ROUNDING * limits.eps)  # numbers below tiny lie that far apart
    worst = int((off - allowed).flatten().argmax()) if off.numel() else 0
    return (off.flatten()[worst].item(), allowed.flatten()[worst].item()) if off.numel() else (0.0, 0.0)
