"""AGX502 where what the backward starts from is not finite itself: the first value that is not."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from autograd_cli.diagnose.watching import graphs, modules
from autograd_cli.diagnose.watching.births import is_finite
from autograd_cli.diagnose.watching.places import Place, place
from autograd_cli.diagnose.watching.records import Call, Log, Spot
from autograd_cli.diagnose.watching.told import make, number, word
from autograd_cli.lang.source import named
from autograd_cli.report.diagnosis import Placed
from autograd_cli.report.records import Severity
from autograd_cli.report.values import shape_text

_LARGE = {"Mul", "Pow", "Exp", "Mm"}
"""Nodes of calls whose results outgrow their dtype."""


@dataclass(frozen=True)
class _First:
    """The first value that is not finite, and the call that made it, or was given it.

    `values` are what the call was given at the first such element, by name.
    """

    tensor: torch.Tensor
    call: Call | None
    is_made: bool
    node: str
    values: dict[str, float] = field(default_factory=dict)


def finding(log: Log, roots: Any, spot: Spot | None, leaves: Sequence[torch.Tensor]) -> Placed:
    """The finding for a backward from a value that is not finite."""
    broken = [leaf for leaf in leaves if not is_finite(leaf)]
    names = _names(broken)
    first = None if broken else _first(log, roots)
    at = place(first.call.spot) if first and first.call else place(spot)
    backward = place(spot)
    value = next((root for root in roots if isinstance(root, torch.Tensor) and not is_finite(root)), None)
    where = f"The backward of {backward.name} starts" if backward else "A backward starts"
    return make(
        "AGX502",
        f"{where} from {_value(value)}: no gradient under it means anything.",
        at,
        name=_name(broken, first),
        severity=Severity.ERROR,
        cause=[*_broken(names), *_told(first, at)],
        fix=_fixes(broken, first, at),
        first=None if first is None or at is None else [at.file, at.line, at.text],
        values=first.values if first else {},
        leaves=names[:20],
    )


def _value(value: torch.Tensor | None) -> str:
    if value is None or value.is_complex():
        return "a value that is not finite"
    if value.numel() == 1:
        return f"{value.item():g}"
    wrong = int((~torch.isfinite(value)).sum())
    return f"a tensor {shape_text(value.shape)} of which {wrong} elements are not finite"


def _name(broken: Sequence[torch.Tensor], first: _First | None) -> str:
    if broken:
        return "gradient-diverged"
    if first is None or not first.is_made:
        return ""
    if _stem(first) in {"Log", "Log2", "Log10"} and first.values.get("self") == 0:
        return "nan-grad-log-at-zero"
    return "value-overflow" if _stem(first) in _LARGE else ""


def _stem(first: _First) -> str:
    return first.node.split("Backward")[0]


# The first value that is not finite


def _first(log: Log, roots: Any) -> _First | None:
    """The first call whose result is not finite, as far as what nodes keep tells."""
    for node in sorted(graphs.walk(roots), key=lambda node: node._sequence_nr()):
        kept = {each.name: each.tensor for each in graphs.kept_by(node)}
        made = _again(node, kept)
        if made is not None and all(map(is_finite, kept.values())) and not is_finite(made):
            return _made(log, node, made, kept)
        for name, tensor in kept.items():
            if not is_finite(tensor):
                return _traced(log, node, tensor, name.startswith(("result", "output")))
    return None


def _again(node: Any, kept: dict[str, torch.Tensor]) -> torch.Tensor | None:
    """The result of a node whose call is done again with what it keeps; None where that is not known."""
    again = _AGAIN.get(type(node).__name__)
    try:
        return None if again is None else again(kept, node)
    except Exception:  # an operand was not kept
        return None


_AGAIN: dict[str, Callable[[dict[str, torch.Tensor], Any], torch.Tensor]] = {
    "LogBackward0": lambda kept, _: kept["self"].log(),
    "Log2Backward0": lambda kept, _: kept["self"].log2(),
    "Log10Backward0": lambda kept, _: kept["self"].log10(),
    "Log1PBackward0": lambda kept, _: kept["self"].log1p(),
    "DivBackward0": lambda kept, _: kept["self"] / kept["other"] if "self" in kept else 1 / kept["other"],
    "MulBackward0": lambda kept, _: kept["self"] * kept["other"],
    "PowBackward0": lambda kept, node: kept["self"] ** node._saved_exponent,
    "PowBackward1": lambda kept, _: kept["self"] ** kept["exponent"],
    "AcosBackward0": lambda kept, _: kept["self"].acos(),
    "AsinBackward0": lambda kept, _: kept["self"].asin(),
    "MmBackward0": lambda kept, _: kept["self"] @ kept["mat2"],
}
"""How calls are done again, by their node."""


def _made(log: Log, node: Any, made: torch.Tensor, kept: dict[str, torch.Tensor]) -> _First:
    index = tuple((~torch.isfinite(made)).nonzero()[0].tolist())
    values = {}
    for name, tensor in kept.items():
        with contextlib.suppress(RuntimeError):
            values[name] = tensor.expand(made.shape)[index].item()
    return _First(made, log.made(node._sequence_nr()), True, type(node).__name__, values)


def _traced(log: Log, node: Any, tensor: torch.Tensor, is_result: bool) -> _First:
    """The call that made a value: the node's own, or the one below it that its input came from."""
    below = [edge[0] for edge in node.next_functions if edge[0] is not None]
    calls = [call for each in below if (call := log.made(each._sequence_nr())) is not None]
    if not is_result and len(below) == 1 and calls:
        return _First(tensor, calls[0], True, type(below[0]).__name__)
    return _First(tensor, log.made(node._sequence_nr()), is_result, type(node).__name__)


def _told(first: _First | None, at: Place | None) -> list[str]:
    if first is None or at is None:
        return []
    wrong = int((~torch.isfinite(first.tensor)).sum())
    how = "made" if first.is_made else "was given"
    of = f"{wrong} of {first.tensor.numel()} elements of a tensor {shape_text(first.tensor.shape)}"
    lines = [f"{at.name}  {at.part}  {how} the first value seen that is not finite: {of}"]
    given = [f"{word(name)} is {number(value)}" for name, value in first.values.items()]
    return [*lines, *([f"its {' and its '.join(given)} there"] if given else [])]


def _names(leaves: Sequence[torch.Tensor]) -> list[str]:
    paths = modules.paths() if leaves else None
    return [paths.leaf(leaf) for leaf in leaves] if paths else []


def _broken(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    said = [name for name in names[:4] if name]
    what = named(said) if said else "leaves"
    return [f"{what} held NaN or infinity already: what was done to them before left them so"]


def _fixes(broken: Sequence[torch.Tensor], first: _First | None, at: Place | None) -> list[str]:
    if broken:
        return ["steps that grow from round to round end so: a smaller learning rate, or clip_grad_norm_"]
    if first is None or at is None:
        where = f" {at.name}" if at else " the loss"
        return [f"look at what goes into{where}: a logarithm of 0, a division by 0, numbers too large"]
    if not first.is_made:
        return [f"what comes into {at.part} holds NaN or infinity before any call seen: look at the data"]
    stem = _stem(first)
    if stem.startswith("Log"):
        return [f"keep what goes into {at.part} above 0: .clamp(min=1e-12), log_softmax, logsigmoid, xlogy"]
    if stem == "Div":
        return [f"keep the divisor of {at.part} away from 0: + 1e-12, or clamp(min=1e-12)"]
    if stem in _LARGE:
        return [f"{at.part} is too large for its dtype: a smaller learning rate, or clip_grad_norm_"]
    return [f"look at what goes into {at.part}"]
