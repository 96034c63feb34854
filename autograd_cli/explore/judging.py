"""The gradients of one backward of a program, held against the slice of its root."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from autograd_cli.explore.options import Options
from autograd_cli.explore.single import judging
from autograd_cli.explore.watching import Seen
from autograd_cli.gradients import check as witnesses
from autograd_cli.gradients.backward import Backward as Passed
from autograd_cli.report import Backward, Gradient
from autograd_cli.run.slices import Slice, sliced
from autograd_cli.run.starting import start
from autograd_cli.run.tape import BoundValue
from autograd_cli.run.traced import Ran, Traced
from autograd_cli.run.values import plain


@dataclass(frozen=True)
class Judged:
    """One backward: the slice of its root down to all leaves, and its judged gradients."""

    ran: Ran
    seen: Seen
    whole: Slice
    gradients: tuple[Gradient, ...]

    def record(self, count: int, limit: int | None) -> Backward:
        """The backward as plain data; `count` is how many were made at its place."""
        seen, call = self.seen, self.seen.call
        names = {id(tensor): name for name, tensor in self.whole.tensors.items()}
        leaves = [(names.get(id(leaf)), i) for i, leaf in enumerate(seen.watch.leaves)]
        watch = seen.watch
        return Backward(
            line=self.ran.program.source.line_of(call.span.start),
            root=text_of(self.ran, seen.root),
            gradients=self.gradients,
            grad_before={name: plain(watch.before[i], limit) for name, i in leaves if name},
            grad_after={name: plain(watch.after[i], limit) for name, i in leaves if name},
            span=(call.span.start, call.span.end),
            call="backward" if call.accumulates else "grad",
            value=plain(self.whole.steps[self.root_place].value, limit),
            number=call.round,
            count=count,
        )

    @property
    def root_place(self) -> int:
        """The step of the first root."""
        assert self.whole.root is not None
        return self.whole.root


def text_of(ran: Ran, root: Traced) -> str:
    """What a root is called: its variable, else its text."""
    return root.name or ran.program.source[root.expr.span]


def judge(ran: Ran, seen: Seen, options: Options, made: Slice | None = None) -> Judged:
    """The slice and the gradients of one backward; `made` is the slice where it is known."""
    call, watch = seen.call, seen.watch
    root = start(call)
    cotangent = call.cotangents[0] if len(call.roots) == 1 else None
    whole = asked = made or sliced(ran, root, watch.leaves, call.names)
    if not all(leaf.is_leaf for leaf in watch.asked):
        asked = sliced(ran, root, watch.asked, call.names)
    if len(call.roots) > 1:
        asked.no_formula = "this backward starts from several values"
    wanted = {id(tensor) for tensor in watch.asked}
    given = {
        name: watch.own(tensor) if id(tensor) in wanted else None for name, tensor in asked.tensors.items()
    }
    asked = with_rows(asked, {name for name, value in given.items() if value is not None})
    arrived = seen.arrived() if options.check else {}
    passed = Passed(arrived, given, seen.error)
    asked, sent = with_cotangent(asked, cotangent, call.names)
    how = judging(options, cotangent, sent)
    gradients = witnesses.check(asked, passed, cotangent, how) if _has_rows(asked) else ()
    if options.check and call.inputs is None and len(call.roots) == 1:
        gradients += _cut_off(ran, seen, whole, cotangent, how)
    return Judged(ran, seen, whole, gradients)


def _has_rows(run: Slice) -> bool:
    """Whether gradients of any leaf are to be judged."""
    return any(b.used and b.role == "leaf" for b in run.bindings)


def _cut_off(
    ran: Ran, seen: Seen, whole: Slice, cotangent: torch.Tensor | None, how: witnesses.Options
) -> tuple[Gradient, ...]:
    """What is said of the leaves that reach the root through what is cut from the graph alone."""
    deep = sliced(ran, seen.root, None, seen.call.names).beyond()
    reached = {id(tensor) for tensor in whole.tensors.values()}
    names = {name for name, tensor in deep.tensors.items() if id(tensor) not in reached}
    if not names:
        return ()
    passed = Passed(leaves=dict.fromkeys(deep.tensors), error=seen.error)
    return witnesses.check(with_rows(deep, names), passed, cotangent, how)


def with_cotangent(run: Slice, cotangent: torch.Tensor | None, names: Mapping[str, Any]) -> tuple[Slice, str]:
    """The slice with the variable that holds the cotangent among its bindings, and its name; else ""."""
    if cotangent is None:
        return run, ""
    found = (n for n, held in names.items() if isinstance(held, Traced) and held.value is cotangent)
    name = next(found, "")
    taken = {binding.name: binding.value for binding in run.bindings}
    if name in taken:
        return run, name if taken[name] is cotangent else ""
    if name:
        constant = BoundValue(name, "", cotangent.detach(), "constant")
        run = replace(run, bindings=(*run.bindings, constant))
    return run, name


def with_rows(run: Slice, names: set[str]) -> Slice:
    """The slice with a row for the gradients of the leaves `names` alone."""
    bound = tuple(replace(b, used=b.name in names) if b.role == "leaf" else b for b in run.bindings)
    return replace(run, bindings=bound)
