"""Rules of functions of several results: what has arrived at each of these goes to the operands.

A rule is given the cotangents by result, of the results that any have arrived at.
"""

from collections.abc import Callable, Mapping
from typing import Any

from autograd_cli.lang.nodes import Attribute, Expr
from autograd_cli.symbolic import factors, reductions
from autograd_cli.symbolic.build import call as calling, method
from autograd_cli.symbolic.indexing import Pick, items_back, put_back, put_together
from autograd_cli.symbolic.operands import Call, Operand, one_by_one, plain
from autograd_cli.symbolic.pieces import SPLITS, UNBINDS, alone, unbound
from autograd_cli.symbolic.texts import Contributions
from autograd_cli.symbolic.values import Value, mapped, placed, reduced, scaled, with_dims

Arrived = Mapping[int, Value]
Rule = Callable[..., Contributions]


def unbind(call: Call, by: Arrived, x: Operand, dim: Any = 0) -> Contributions:
    """unbind: the cotangents stacked, zeros where none has arrived."""
    return [(x, items_back(x, unbound(x, dim), by))]


def split_up(call: Call, by: Arrived, x: Operand, *given: Any, **named: Any) -> Contributions:
    """split, chunk and their kin: the cotangents put together again, zeros where none has arrived."""
    axis, pieces = SPLITS[call.step.key](call, x, *given, **named)
    if len(by) == len(pieces):
        return [(x, put_together("cat", x, axis, by))]
    cuts = {item: slice(*pieces[item]) for item in by}
    return [(x, put_back(g, x, [Pick(axis, cuts[item], x.shape)])) for item, g in by.items()]


def _values(by: Arrived) -> Value:
    """The cotangent of the first result; the second are places, through which nothing passes."""
    return by[0]


def ordered(call: Call, by: Arrived, x: Operand, dim: Any = -1, *rest: Any, **named: Any) -> Contributions:
    """sort: the cotangent itself where it is the same for all, else put back to where each came from."""
    g = _values(by)
    if g.natural == () or not x.shape:
        return [(x, g.to(x.shape))]
    return [(x, _scattered(g, x, plain(dim), _indices(call)))]


def sorted_alone(call: Call, g: Value, x: Operand) -> Contributions:
    """msort: as sort along the first dim."""
    if g.natural == () or not x.shape:
        return [(x, g.to(x.shape))]
    return [(x, _scattered(g, x, 0, Attribute(method(x.expr, "sort", 0), "indices")))]


def best(
    call: Call, by: Arrived, x: Operand, k: Any, dim: Any = -1, largest: Any = True, sorted: Any = True
) -> Contributions:
    """topk: put back to where each came from."""
    g = _values(by)
    return [(x, g if not x.shape else _scattered(g, x, plain(dim), _indices(call)))]


def _indices(call: Call) -> Expr:
    return Attribute(call.step.expr, "indices")


def _scattered(g: Value, x: Operand, dim: int, places: Expr, name: str = "scatter") -> Value:
    """The cotangent in zeros, at `places` along `dim`; an infinite one stays where it is put."""
    zeros = calling("zeros_like", x.expr)
    if name == "scatter" and g.terms and g.single().is_number:
        return scaled(g.single(), method(zeros, name, dim, places, 1), x.shape)
    return placed(g, lambda expr: method(zeros, name, dim, places, expr), x.shape)


def extreme(call: Call, by: Arrived, x: Operand, dim: Any = -1, keepdim: Any = False) -> Contributions:
    """max, min, median, mode along a dim: to the element that was taken."""
    g = _values(by)
    if not x.shape:
        return [(x, g)]
    along, kept = plain(dim) % len(x.shape), bool(plain(keepdim))
    places = _indices(call) if kept else method(_indices(call), "unsqueeze", along)
    upright = tuple(1 if d == along else n for d, n in enumerate(x.shape))
    return [(x, _scattered(g.to(upright) if kept else with_dims(g, [along], upright), x, along, places))]


def kthvalue(
    call: Call, by: Arrived, x: Operand, k: Any, dim: Any = -1, keepdim: Any = False
) -> Contributions:
    """kthvalue: to the element that was taken."""
    return extreme(call, by, x, dim, keepdim)


def running(call: Call, by: Arrived, x: Operand, dim: Any) -> Contributions:
    """cummax, cummin: added up where each of the best so far came from."""
    g = _values(by)
    return [(x, g if not x.shape else _scattered(g, x, plain(dim), _indices(call), "scatter_add"))]


def spread_and_mean(deviation: bool) -> Rule:
    """var_mean, std_mean: the rules of both."""
    spread = reductions.deviation if deviation else reductions.variance

    def rule(call: Call, by: Arrived, x: Operand, dim: Any = None, *rest: Any, **named: Any) -> Contributions:
        found: Contributions = []
        for item, g in by.items():
            one = alone(call, item, g)
            if item == 0:
                found += spread(one, g, x, dim, *rest, **named)
            else:
                over = None if isinstance(dim, bool) else dim
                keep = named.get("keepdim", rest[1] if len(rest) > 1 else False)
                found += reductions.mean(one, g, x, over, keep)
        return found

    return rule


def aminmax(call: Call, by: Arrived, x: Operand, *, dim: Any = None, keepdim: Any = False) -> Contributions:
    """aminmax: amin and amax."""
    return [
        pair
        for item, g in by.items()
        for pair in reductions.extreme(alone(call, item, g), g, x, dim, keepdim)
    ]


def broadcast_tensors(call: Call, by: Arrived, *tensors: Any) -> Contributions:
    """broadcast_tensors: to each its own, summed over what was stretched."""
    given = one_by_one(tensors)
    return [(given[item], g) for item, g in by.items()]


def meshgrid(call: Call, by: Arrived, *tensors: Any, indexing: Any = None) -> Contributions:
    """meshgrid: to each its own, summed over the dims of the others."""
    given = one_by_one(tensors)
    swapped = {0: 1, 1: 0} if plain(indexing) == "xy" and len(given) > 1 else {}
    found: Contributions = []
    for item, g in by.items():
        dim = swapped.get(item, item)
        alone = tuple(n if d == dim else 1 for d, n in enumerate(g.shape))
        summed = reduced(g, alone)
        found.append((given[item], _flat(summed, given[item], dim)))
    return found


def _flat(value: Value, x: Operand, dim: int) -> Value:
    if value.natural == ():
        return value.to(x.shape)
    return mapped(value, lambda expr: method(expr, "reshape", *(x.shape or ((),))), x.shape)


RULES: dict[str, Rule] = {
    **dict.fromkeys(UNBINDS, unbind),
    **dict.fromkeys(SPLITS, split_up),
    **dict.fromkeys(("max", "min", "median", "nanmedian", "mode"), extreme),
    "kthvalue": kthvalue,
    "sort": ordered,
    "topk": best,
    **dict.fromkeys(("cummax", "cummin"), running),
    "var_mean": spread_and_mean(deviation=False),
    "std_mean": spread_and_mean(deviation=True),
    "aminmax": aminmax,
    "broadcast_tensors": broadcast_tensors,
    "meshgrid": meshgrid,
    **factors.RULES,
}
"""By rule key, where the function gives several results."""
