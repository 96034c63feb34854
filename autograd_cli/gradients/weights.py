"""What each element of a value weighs in a sum that is linear in it.

A function of one element can be looked at alone where everything behind it adds up with
weights that are known: sums, means, constant factors, products with constants.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import torch

from autograd_cli.gradients.lane_rules import PRODUCTS
from autograd_cli.gradients.lanes import Lanes
from autograd_cli.gradients.replay import Planned
from autograd_cli.report import Ref


@dataclass(frozen=True, slots=True)
class _Linear:
    """A call with arguments at the recorded point, some of which are live, and the weights of its result."""

    given: Sequence[Any]
    live: Sequence[bool]
    kwargs: dict[str, Any]
    weight: torch.Tensor


Parts = Sequence[torch.Tensor | None]
"""The weights of each argument, None for what has none."""


def passed_on(lanes: Lanes, planned: Planned, weight: torch.Tensor) -> dict[int, torch.Tensor] | None:
    """The weights of the live arguments of a call, by place, from those of its result.

    None where it is not linear in them.
    """
    function = lanes.replay.steps[planned.index].function
    rule = _RULES.get(function.path.removeprefix("torch.")) if function is not None else None
    places = planned.slots or tuple(arg.index if type(arg) is Ref else -1 for arg in planned.args)
    if rule is None or any(type(value) is Ref for value in planned.kwargs.values()):
        return None
    args = planned.args if planned.slots is None else [None] * len(places)
    given = [lanes.values[place] if place >= 0 else arg for place, arg in zip(places, args, strict=True)]
    call = _Linear(given, [place in lanes.live for place in places], planned.kwargs, weight)
    parts = rule(call)
    if parts is None:
        return None
    found: dict[int, torch.Tensor] = {}
    for place, part in zip(places, parts, strict=False):
        if place in lanes.live and part is not None:
            found[place] = found[place] + part if place in found else part
    return found


def _added(call: _Linear, signs: tuple[int, int]) -> Parts | None:
    if call.kwargs or len(call.given) != 2:
        return None
    return [_fitted(call.weight * sign, one) for sign, one in zip(signs, call.given, strict=True)]


def _multiplied(call: _Linear) -> Parts | None:
    if call.kwargs or all(call.live) or len(call.given) != 2:
        return None
    (one, other), (left, _) = call.given, call.live
    return (_fitted(call.weight * other, one), None) if left else (None, _fitted(call.weight * one, other))


def _divided(call: _Linear) -> Parts | None:
    if call.kwargs or call.live[1] or len(call.given) != 2:
        return None
    return (_fitted(call.weight / call.given[1], call.given[0]), None)


def _fitted(weight: torch.Tensor, like: Any) -> torch.Tensor | None:
    """Weights summed over what was stretched to the result's shape."""
    return weight.sum_to_size(like.shape) if isinstance(like, torch.Tensor) else None


def _summed(call: _Linear) -> Parts | None:
    """The weights of what is summed, over all dims or over those given."""
    tensor, *rest = call.given
    kwargs = dict(call.kwargs)
    dims = rest.pop(0) if rest else kwargs.pop("dim", kwargs.pop("axis", None))
    keeps = rest.pop(0) if rest else kwargs.pop("keepdim", False)
    if rest or kwargs or type(keeps) is not bool:
        return None
    weight = call.weight
    if dims is not None and not keeps:
        for dim in sorted(dim % max(tensor.ndim, 1) for dim in ([dims] if type(dims) is int else dims)):
            weight = weight.unsqueeze(dim)
    return [weight.expand(tensor.shape)]


def _averaged(call: _Linear) -> Parts | None:
    count = prod(call.given[0].shape) / max(1, call.weight.numel())
    return _summed(replace(call, weight=call.weight / count))


def _reshaped(call: _Linear) -> Parts:
    """The weights of elements that keep their order."""
    return [call.weight.reshape(call.given[0].shape)]


def _turned(call: _Linear) -> Parts | None:
    return [call.weight.mT] if call.given[0].ndim == 2 else None


def _product(call: _Linear) -> Parts | None:
    """The weights of one operand of a product of vectors and matrices; the other is constant."""
    (one, other), (left, right), weight = call.given, call.live, call.weight
    if (left and right) or max(one.ndim, other.ndim) > 2:
        return None
    if one.ndim == other.ndim == 1:
        return (weight * other, None) if left else (None, weight * one)
    if left:
        return (weight.unsqueeze(-1) * other if other.ndim == 1 else weight @ other.mT, None)
    return (None, one.unsqueeze(-1) * weight.unsqueeze(-2) if one.ndim == 1 else one.mT @ weight)


_KEEP_ORDER = (
    "reshape", "Tensor.view", "flatten", "ravel", "unsqueeze", "squeeze", "clone", "Tensor.contiguous",
)  # fmt: skip

_RULES: dict[str, Callable[[_Linear], Parts | None]] = {
    "add": lambda call: _added(call, (1, 1)),
    "sub": lambda call: _added(call, (1, -1)),
    "neg": lambda call: [-call.weight],
    "mul": _multiplied,
    "div": _divided,
    "sum": _summed,
    "mean": _averaged,
    **dict.fromkeys(_KEEP_ORDER, _reshaped),
    **dict.fromkeys(("Tensor.T", "t", "Tensor.mT"), _turned),
    **dict.fromkeys(PRODUCTS, _product),
}
"""By path, for calls that are linear in their live arguments."""


def keeps_order(path: str) -> bool:
    """Whether a function gives the elements of its tensor in their order, in another shape."""
    return path.removeprefix("torch.") in _KEEP_ORDER
