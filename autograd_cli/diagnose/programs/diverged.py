"""In which round a training ran away, and a learning rate that keeps it: the program is run again for it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isfinite, nan

import torch

from autograd_cli.diagnose.overflow import all_finite
from autograd_cli.diagnose.programs.accumulation import started_from
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.trial import rerun
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import called, expressions, targets
from autograd_cli.errors import LimitError, Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Number
from autograd_cli.lang.source import named
from autograd_cli.report import Finding, Fix
from autograd_cli.run.traced import BackwardCall, Observer, Ran, Traced, now

_OPTIMIZERS = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad")
_GROWN = ("gradient-diverged", "value-overflow")
"""What steps that are too large lead to."""

_TENTHS = 5
_SHOWN = 3
"""Rounds whose loss is told before the one where it is no number."""


@dataclass
class _Rounds(Observer):
    """The backwards at one place: an observer of another run of the program.

    `root` is the place of what they start from, or `line` that of the backward. `losses` are the
    values of the rounds in order; `leaves` the names that held NaN or infinity when the round
    `lost` began, the first such.
    """

    root: Span | None
    line: int = 0
    losses: list[float] = field(default_factory=list)
    leaves: tuple[str, ...] = ()
    lost: int = 0
    span: Span | None = None
    ran: Ran | None = None

    def begin(self, ran: Ran) -> None:
        """Keep the program, whose lines count."""
        self.ran = ran

    def before(self, call: BackwardCall) -> None:
        """Note the loss, and which leaves are no numbers any more."""
        if not call.roots or not self._is_here(call):
            return
        self.span = call.span
        value = call.roots[0].value
        is_number = isinstance(value, torch.Tensor) and value.numel() == 1 and not value.is_complex()
        self.losses.append(float(value.detach()) if is_number else 0.0 if all_finite(value) else nan)
        if not self.lost:
            self.leaves = tuple(_broken(call))
            self.lost = len(self.losses) if self.leaves else 0

    def _is_here(self, call: BackwardCall) -> bool:
        assert self.ran is not None
        if self.root is not None:
            return call.roots[0].expr.span == self.root
        return self.ran.program.source.line_of(call.span.start) == self.line

    @property
    def broken(self) -> int:
        """The first round, from 1, whose loss is no finite number; 0 where all are."""
        return next((i for i, loss in enumerate(self.losses, start=1) if not isfinite(loss)), 0)


def _broken(call: BackwardCall) -> Iterator[str]:
    for name, held in call.names.items():
        value = now(held).value if isinstance(held, Traced) else None
        if (
            isinstance(value, torch.Tensor)
            and value.is_leaf
            and value.requires_grad
            and not all_finite(value)
        ):
            yield name


def dated(whole: Whole, finding: Finding, root: Span) -> Finding:
    """The finding with the round of a loop in which the loss was first no number, and a rate that works.

    `root` is the place of what the backward starts from. As it was where that is made once.
    """
    if finding.code != "AGX502" or not any(whole.loops(passed.span) for passed in whole.ran.backwards):
        return finding
    rounds = _run_again(whole, whole.source.text, _Rounds(root))
    if rounds is None or rounds.broken < 2 or rounds.span is None:
        return finding
    fixes: tuple[Fix, ...] = ()
    if finding.name in _GROWN:
        fixes = tuple(_slower(whole, whole.line(rounds.span), started_from(whole, rounds.span)))
    return replace(
        finding, cause=(*finding.cause, _told(whole, rounds, rounds.span)), fix=fixes or finding.fix
    )


def _told(whole: Whole, rounds: _Rounds, backward: Span) -> str:
    """The losses of the first rounds, and those where they and the leaves are no numbers any more."""
    first = rounds.broken
    before = [f"{rounds.losses[i]:.4g} in round {i + 1}" for i in range(min(_SHOWN, first - 1))]
    dots = " …," if first - 1 > _SHOWN else ""
    start = started_from(whole, backward)
    told = f"{start} is {', '.join(before)},{dots} {rounds.losses[first - 1]:.4g} in round {first}"
    if rounds.lost:
        what = "is no number" if len(rounds.leaves) == 1 else "are no numbers"
        told += f"; {named(list(rounds.leaves))} {what} from round {rounds.lost} on"
    return told


def _run_again(whole: Whole, text: str, rounds: _Rounds) -> _Rounds | None:
    try:
        again = rerun(whole.ran, text, rounds)
    except LimitError:
        return None
    return rounds if again is not None and again.failure is None and rounds.losses else None


# A smaller learning rate


def _slower(whole: Whole, line: int, root: str) -> Iterator[Fix]:
    """The rates of the steps divided by ten until the loss falls: run, not guessed."""
    rates = list(_rates(whole))
    for power in range(1, _TENTHS + 1) if rates else ():
        edits = {rate.span: f"{rate.value / 10**power:g}" for rate in rates}
        text = edited(whole.source, edits)
        rounds = _run_again(whole, text, _Rounds(None, line))
        if rounds is not None and not rounds.broken and rounds.losses[-1] < rounds.losses[0]:
            _, *others = dict.fromkeys(whole.line(span) for span in sorted(edits))
            also = f"and so on line {' and '.join(map(str, others))}: " if others else ""
            yield Fix(f"{also}{root} then falls to {rounds.losses[-1]:.4g}", text)
            return


def _rates(whole: Whole) -> Iterator[Number]:
    """The numbers that a gradient is multiplied by, and those that an optimizer has as `lr`; each once."""
    found = {rate.span: rate for expr in _rate_exprs(whole) if (rate := _number(whole, expr)) is not None}
    yield from found.values()


def _rate_exprs(whole: Whole) -> Iterator[Expr]:
    for node in expressions(whole.program):
        if isinstance(node, nodes.Binary) and node.op == "*":
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(other, nodes.Attribute) and other.name == "grad":
                    yield one
        if isinstance(node, nodes.Call) and called(node) in _OPTIMIZERS:
            yield from (keyword.value for keyword in node.keywords if keyword.name == "lr")
            yield from node.args[1:2]


def _number(whole: Whole, expr: Expr) -> Number | None:
    """The number that is written there, or that the name there is given."""
    if isinstance(expr, nodes.Name):
        given = [
            s.value for s in whole.all_statements if isinstance(s, nodes.Assign) and expr.id in targets(s)
        ]
        expr = given[0] if len(given) == 1 else expr
    return expr if isinstance(expr, Number) and isinstance(expr.value, int | float) else None
