"""AGX502 where what the backward starts from is not finite itself: the first value that is not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograd_cli.diagnose.watching import graphs, modules
from autograd_cli.diagnose.watching.births import is_finite
from autograd_cli.diagnose.watching.graphs import Kept
from autograd_cli.diagnose.watching.places import Place, place
from autograd_cli.diagnose.watching.records import Call, Log, Spot
from autograd_cli.diagnose.watching.told import make
from autograd_cli.lang.source import named
from autograd_cli.report.diagnosis import Traced
from autograd_cli.report.records import Severity
from autograd_cli.report.values import shape_text


@dataclass(frozen=True)
class _First:
    """The first kept value that is not finite: the call that made it, or that was given it."""

    kept: Kept
    call: Call | None
    is_made: bool


def finding(log: Log, roots: Any, spot: Spot | None, leaves: Sequence[torch.Tensor]) -> Traced:
    """The finding for a backward from a value that is not finite."""
    names = modules.paths()
    broken = [leaf for leaf in leaves if not is_finite(leaf)]
    first = None if broken else _first(log, roots)
    at = place(first.call.spot) if first and first.call else place(spot)
    backward = place(spot)
    value = next((root for root in roots if isinstance(root, torch.Tensor) and not is_finite(root)), None)
    what = _value(value)
    where = f"The backward of {backward.name} starts" if backward else "A backward starts"
    return make(
        "AGX502",
        f"{where} from {what}: every gradient under it is NaN or infinite.",
        at,
        name="gradient-diverged" if broken else "value-overflow" if first else "",
        severity=Severity.ERROR,
        cause=[*_broken(broken, names), *_told(first, at)],
        fix=_fixes(broken, at),
        first=None if first is None or at is None else [at.file, at.line, at.text],
        leaves=[names.leaf(leaf) for leaf in broken[:20]],
    )


def _value(value: torch.Tensor | None) -> str:
    if value is None:
        return "a value that is not finite"
    if value.numel() == 1:
        return f"{value.item():g}" if not value.is_complex() else "a value that is not finite"
    wrong = int((~torch.isfinite(value)).sum())
    return f"a tensor {shape_text(value.shape)} of which {wrong} elements are not finite"


def _first(log: Log, roots: Any) -> _First | None:
    """The node made first of those that keep a value which is not finite."""
    nodes = sorted(graphs.walk(roots), key=lambda node: node._sequence_nr())
    for node in nodes:
        for kept in graphs.kept_by(node):
            if not is_finite(kept.tensor):
                return _traced(log, kept)
    return None


def _traced(log: Log, kept: Kept) -> _First:
    """The call that made a value: the node's own, or the one below it that its input came from."""
    node = kept.node
    if kept.is_result:
        return _First(kept, log.made(node._sequence_nr()), True)
    below = [edge[0] for edge in node.next_functions if edge[0] is not None]
    calls = [call for each in below if (call := log.made(each._sequence_nr())) is not None]
    if len(below) == 1 and calls:
        return _First(kept, calls[0], True)
    return _First(kept, log.made(node._sequence_nr()), False)


def _told(first: _First | None, at: Place | None) -> list[str]:
    if first is None or at is None:
        return []
    tensor = first.kept.tensor
    wrong = int((~torch.isfinite(tensor)).sum())
    how = "made" if first.is_made else "was given"
    of = f"{wrong} of {tensor.numel()} elements of a tensor {shape_text(tensor.shape)}"
    return [f"{at.name}  {at.text}  {how} the first value seen that is not finite: {of}"]


def _broken(leaves: Sequence[torch.Tensor], names: modules.Paths) -> list[str]:
    if not leaves:
        return []
    said = [name for leaf in leaves[:4] if (name := names.leaf(leaf))]
    what = named(said) if said else "leaves"
    return [f"{what} held NaN or infinity already: what was done to them before left them so"]


def _fixes(broken: Sequence[torch.Tensor], at: Place | None) -> list[str]:
    if broken:
        return [
            "steps that grow from round to round end so: take a smaller learning rate, or clip the gradients"
        ]
    where = f" what goes into {at.name}" if at else " what the loss is made of"
    return [f"look at{where}: a logarithm of 0, a division by 0, or numbers too large for their dtype"]
