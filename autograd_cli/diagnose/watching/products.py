"""A gradient that is not finite in words: which element, which node, which product."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, isinf, isnan
from typing import Any
from weakref import ref

import torch

from autograd_cli.diagnose.watching import graphs, modules
from autograd_cli.diagnose.watching.births import Birth
from autograd_cli.diagnose.watching.places import Place, place
from autograd_cli.diagnose.watching.records import Call, Spot
from autograd_cli.diagnose.watching.told import indexed, make, number, word
from autograd_cli.report.diagnosis import Placed
from autograd_cli.report.records import Severity
from autograd_cli.report.values import shape_text

_ROOTS = ("Sqrt", "Rsqrt", "Pow", "Norm", "LinalgVectorNorm", "Hypot")
_NORMS = ("NativeLayerNorm", "NativeGroupNorm", "NativeBatchNorm")
_LOGS = ("Log", "Log2", "Log10", "Log1P", "Xlogy")

_UNSEEN = "torch.autograd.set_detect_anomaly(True) names the node, at the price of a slower run"
"""Where no node is seen that made it."""


@dataclass(frozen=True)
class Wrong:
    """The elements of a gradient that are not finite: how many, the first, and the leaf's value there.

    `leaf` refers weakly to the leaf.
    """

    leaf: Any
    shape: tuple[int, ...]
    nan: int
    inf: int
    size: int
    index: tuple[int, ...]
    value: float


def wrong(leaf: torch.Tensor, gradient: torch.Tensor) -> Wrong:
    """What is not finite in the gradient of a leaf."""
    dense = gradient.to_dense() if gradient.layout is not torch.strided else gradient
    nan, inf = torch.isnan(dense), torch.isinf(dense)
    index = tuple((nan | inf).nonzero()[0].tolist())
    value = leaf.detach()[index].item()
    return Wrong(
        ref(leaf),
        tuple(leaf.shape),
        int(nan.sum()),
        int(inf.sum()),
        dense.numel(),
        index,
        value if isinstance(value, float) else 0.0,
    )


def finding(births: Sequence[Birth], leaves: Sequence[Wrong], masked: bool, spot: Spot | None) -> Placed:
    """The finding for gradients that are not finite though what they start from is.

    `masked` says that torch.where did not take what the first birth is of.
    """
    names, birth = modules.paths(), births[0] if births else None
    at = place(birth.call.spot) if birth and birth.call else place(spot)
    backward = place(spot)
    return make(
        "AGX502",
        _sentence(leaves, birth, names, backward),
        at,
        name=_name(birth, masked),
        severity=Severity.ERROR,
        cause=[*_cause(birth, masked), *_then(births), *_others(leaves, names), *_unseen(birth)],
        fix=_fixes(birth, at, masked),
        **_evidence(leaves, birth, names),
    )


def _sentence(leaves: Sequence[Wrong], birth: Birth | None, names: modules.Paths, at: Place | None) -> str:
    where = f"After the backward of {at.name} " if at else "After a backward "
    if leaves:
        return f"{where}{_counted(leaves[0], names)}; what it starts from is finite."
    what = f"passed on {number(birth.made)}" if birth else "left a gradient that is not finite"
    who = f"{birth.node} of the backward of {at.name}" if birth and at else "A backward"
    return f"{who} {what}."


def _named(bad: Wrong, names: modules.Paths) -> str:
    leaf = bad.leaf()
    return "" if leaf is None else names.leaf(leaf)


def _counted(bad: Wrong, names: modules.Paths) -> str:
    name = _named(bad, names)
    whose = f"`{name}`" if name else f"a leaf {shape_text(bad.shape)}"
    parts = [f"{bad.nan} NaN"] * bool(bad.nan) + [f"{bad.inf} infinite"] * bool(bad.inf)
    first = f", the first at {indexed(bad.index)}" if bad.index else ""
    value = f", where {f'`{name}`' if name else 'the leaf'} is {number(bad.value)}"
    return f"the gradient of {whose} has {' and '.join(parts)} of {bad.size}{first}{value}"


def _others(leaves: Sequence[Wrong], names: modules.Paths) -> list[str]:
    rest = [_counted(bad, names) for bad in leaves[1:4]]
    more = len(leaves) - 4
    return [*rest, *([f"and {more} more"] if more > 0 else [])]


def _cause(birth: Birth | None, masked: bool) -> list[str]:
    if birth is None:
        return ["where it is born was not seen: in a call that is not looked at, or one of a person's own"]
    text = _text(birth)
    counted = f"passed on {birth.count} of {birth.size} that are not"
    lines = [f"{text}  {birth.node} was given finite gradients and {counted}"]
    if product := _product(birth):
        lines.append(f"{text}  {product}")
    lines += [f"{text}  its {word(name)} is {number(value)} there" for name, value in birth.values.items()]
    if masked:
        lines.append("the 0 comes from torch.where, which took the other branch: 0 × inf is NaN all the same")
    return lines


def _then(births: Sequence[Birth]) -> list[str]:
    """The product that made NaN of the infinity that was born."""
    later = [each for each in births[1:] if isnan(each.made)] if births and isinf(births[0].made) else []
    return [f"{_text(each)}  then {product}" for each in later[:1] if (product := _product(each))]


def _product(birth: Birth) -> str:
    if birth.arriving is None or birth.factor is None:
        return ""
    place_in = f" at {indexed(birth.index)}" if birth.index else ""
    factors = f"arriving {number(birth.arriving)} × local factor {number(birth.factor)}"
    return f"{factors} = {number(birth.made)}{place_in}"


def _text(birth: Birth) -> str:
    at = place(birth.call.spot) if birth.call else None
    return f"{at.name}  {at.part}" if at else birth.node


def _name(birth: Birth | None, masked: bool) -> str:
    if birth is None:
        return ""
    if masked:
        return "nan-grad-masked-branch"
    stems = {_stem(birth.node), *map(_stem, birth.below)} if _is_overflown(birth) else set()
    if _is_flat(birth):
        return "nan-grad-sqrt-at-zero"
    if _stem(birth.node) in _LOGS or stems & set(_LOGS):
        return "nan-grad-log-at-zero"
    if stems:
        return "value-overflow"
    is_steep = birth.factor is not None and not isfinite(birth.factor)
    return "nan-grad-sqrt-at-zero" if _stem(birth.node) in _ROOTS and is_steep else ""


def _is_overflown(birth: Birth) -> bool:
    """Whether what the node keeps is not finite there itself."""
    return not all(map(isfinite, birth.values.values()))


def _is_flat(birth: Birth) -> bool:
    """Whether a layer divides by a deviation that is 0."""
    given = birth.values.get("input")
    return _stem(birth.node) in _NORMS and given is not None and isfinite(given)


def _stem(node: str) -> str:
    return node.split("Backward")[0]


def is_masked(births: Sequence[Birth], roots: Any) -> bool:
    """Whether 0 arrived where the first was born, past a choice of torch.where on its way from the roots."""
    if not births or births[0].arriving != 0:
        return False
    birth = births[0]
    for node in graphs.walk(roots):
        if type(node).__name__.startswith("WhereBackward"):
            below = (edge[0] for edge in node.next_functions if edge[0] is not None)
            for reached in graphs.walk([_Edge(each) for each in below]):
                if reached._sequence_nr() == birth.sequence and type(reached).__name__ == birth.node:
                    return True
    return False


@dataclass(frozen=True)
class _Edge:
    node: Any


def _unseen(birth: Birth | None) -> list[str]:
    return [] if birth else [_UNSEEN]


def _fixes(birth: Birth | None, at: Place | None, masked: bool) -> list[str]:
    if birth is None or at is None:
        return []
    part = at.part
    if masked:
        return [f"choose before {part}, not after: give it torch.where(condition, x, 1.0) in place of x"]
    stem = _stem(birth.node)
    if _is_flat(birth):
        return [f"give {part} an eps above 0: it divides by a deviation that is 0 there"]
    if _is_overflown(birth):
        above = "above 0, before the logarithm" if {*map(_stem, birth.below)} & set(_LOGS) else "in bounds"
        return [f"{part} holds numbers that are not finite: keep what goes into it {above}, by clamp"]
    if stem in _LOGS:
        return [f"keep what goes into {part} above 0: .clamp(min=1e-12), or log_softmax, logsigmoid, xlogy"]
    if stem in _ROOTS:
        return [
            f"keep what goes into {part} above 0: add 1e-12 under the root, or clamp(min=1e-12) before it"
        ]
    if stem == "Div":
        return [f"keep the divisor of {part} away from 0: + 1e-12, or clamp(min=1e-12)"]
    return [
        f"keep what goes into {part} away from where its slope is infinite, by clamp or a small number added"
    ]


def _evidence(leaves: Sequence[Wrong], birth: Birth | None, names: modules.Paths) -> dict[str, Any]:
    found: dict[str, Any] = {"leaves": [_leaf(bad, names) for bad in leaves[:20]], "birth": None}
    if birth is not None:
        call: Call | None = birth.call
        at = place(call.spot) if call else None
        found["birth"] = {
            "node": birth.node,
            "file": at.file if at else "",
            "line": at.line if at else None,
            "text": at.part if at else "",
            "module": names.module(call.module) if call else "",
            "index": list(birth.index),
            "count": birth.count,
            "size": birth.size,
            "arriving": birth.arriving,
            "factor": birth.factor,
            "gradient": birth.made,
            "values": birth.values,
        }
    return found


def _leaf(bad: Wrong, names: modules.Paths) -> dict[str, Any]:
    return {
        "name": _named(bad, names),
        "shape": list(bad.shape),
        "nan": bad.nan,
        "inf": bad.inf,
        "index": list(bad.index),
        "value": bad.value,
    }
