"""How a call takes lanes: a leading axis along which its arguments hold several points at once.

A rule gives what to call instead, on the same arguments, some of which have the axis in front.
Functions without a rule go through torch's own vmap, which takes longer.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from operator import attrgetter, getitem
from typing import Any

import torch

from autograd_cli.lang.functions.rows import Function, Kind, Role
from autograd_cli.report import Ref, refs
from autograd_cli.run.tape import filled

Call = Callable[..., Any]


class NoLanesError(Exception):
    """A call has to be made point by point."""


@dataclass(slots=True)
class Site:
    """A call as it stands on the tape: what is called on what, and which steps have lanes.

    `values` are those of all steps at the recorded point, without lanes. `slots` are the places
    of the arguments where all are plain.
    """

    call: Call
    function: Function | None
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    slots: tuple[int, ...] | None
    values: Sequence[Any]
    live: Set[int]

    @property
    def given(self) -> list[Any]:
        """The arguments by position at the recorded point; what is nested stays as it is."""
        if self.slots is not None:
            return [self.values[slot] for slot in self.slots]
        return [self.values[arg.index] if type(arg) is Ref else arg for arg in self.args]

    @property
    def lanes(self) -> list[bool]:
        """Which of the arguments by position differ from lane to lane."""
        if self.slots is not None:
            return [slot in self.live for slot in self.slots]
        return [type(arg) is Ref and arg.index in self.live for arg in self.args]

    @property
    def is_plain(self) -> bool:
        """Whether lanes come by position alone, each as an argument of its own."""
        if self.slots is not None:
            return True
        nested = [arg for arg in self.args if type(arg) is not Ref]
        return not any(ref.index in self.live for ref in refs((nested, self.kwargs)))


Rule = Callable[[Site], Call | None]
"""What to call instead; None where the rule does not hold for these arguments."""


def with_lanes(site: Site) -> tuple[Call, tuple[int, ...] | None]:
    """What to call where some arguments have lanes, and on which steps: None for the call's own.

    Raises NoLanesError.
    """
    function = site.function
    if function is None:
        if not _is_pick(site):
            raise NoLanesError
        return site.call, site.slots
    if function.writes or function.draws or not function.path.startswith("torch."):
        raise NoLanesError
    if function.name.startswith("as_strided"):  # it reads by place in memory, which lanes have otherwise
        raise NoLanesError
    if function.name == "select_scatter":  # torch's vmap of it gives its source twice the gradient (2.13)
        raise NoLanesError
    rule = _RULES.get(function.path.removeprefix("torch.")) or _by_kind(function)
    made = rule(site) if rule is not None else None
    return (made, site.slots) if made is not None else _by_vmap(site)


def _is_pick(site: Site) -> bool:
    """Whether it takes an item of a result that is several tensors."""
    picks = site.call is getitem or isinstance(site.call, attrgetter)
    return picks and isinstance(site.given[0], tuple | list)


def _by_kind(function: Function) -> Rule | None:
    return _elementwise if is_elementwise(function) else None


def is_elementwise(function: Function) -> bool:
    """Whether each element of the result comes from the elements at its place, broadcast, alone."""
    if function.kind is not Kind.ACTIVATION or function.name == "prelu":
        return function.kind is Kind.ELEMENTWISE or function.name in _CHOICES
    return not any(argument.role is Role.DIM for argument in function.arguments)


def _by_vmap(site: Site) -> tuple[Call, tuple[int, ...]]:
    """The call by vmap on the steps that have lanes."""
    live = tuple(sorted({ref.index for ref in refs((site.args, site.kwargs)) if ref.index in site.live}))
    values = list(site.values)

    def one(*lane: Any) -> Any:
        for index, value in zip(live, lane, strict=True):
            values[index] = value
        return site.call(*filled(site.args, values), **filled(site.kwargs, values))

    return torch.vmap(one), live


# Element by element

_CHOICES = frozenset({"where", "masked_fill"})


def _elementwise(site: Site) -> Call | None:
    """A call that broadcasts its tensors: those of lower rank are padded behind the lanes."""
    if not site.is_plain or (site.kwargs and refs(site.kwargs)):
        return None
    ranks = [_rank(value) for value in site.given]
    missing = [max(ranks) - rank if lanes else 0 for rank, lanes in zip(ranks, site.lanes, strict=True)]
    return _padded(site.call, missing) if any(missing) else site.call


def _rank(value: Any) -> int:
    return value.ndim if isinstance(value, torch.Tensor) else 0


def _padded(call: Call, missing: Sequence[int]) -> Call:
    """The call with as many dimensions put behind the lanes of each argument as are missing."""

    def padded(*args: Any, **kwargs: Any) -> Any:
        return call(*map(_pad, args, missing), **kwargs)

    return padded


def _pad(value: Any, missing: int) -> Any:
    for _ in range(missing):
        value = value.unsqueeze(1)
    return value


# Along dims


def _along(site: Site) -> Call | None:
    """A call on one tensor along its `dim`, the argument after it: over all where there is none."""
    call, kwargs = site.call, dict(site.kwargs)
    name = "axis" if "axis" in kwargs else "dim"
    tensor, *rest = site.given
    if not site.is_plain or len(rest) > 2 or (rest and name in kwargs) or not tensor.ndim:
        return None
    dims = rest.pop(0) if rest else kwargs.pop(name, None)
    moved = _shifted(dims)
    if moved is None:
        return _over_all(call, tensor.ndim, kwargs) if dims is None and not rest and not kwargs else None
    return lambda tensor, *_, **__: call(tensor, moved, *rest, **kwargs)


def _over_all(call: Call, rank: int, kwargs: dict[str, Any]) -> Call:
    if rank == 1:
        return lambda tensor: call(tensor, 1)
    return lambda tensor: call(tensor.flatten(1), 1)


def _shifted(dims: Any) -> Any:
    """Dims behind the lanes; None where they are no dims."""
    if type(dims) is int:
        return dims + 1 if dims >= 0 else dims
    if isinstance(dims, tuple | list) and dims and all(type(dim) is int for dim in dims):
        return [_shifted(dim) for dim in dims]
    return None


def _along_one(site: Site) -> Call | None:
    """A call along a dim that has to be given: softmax and its like."""
    return _along(site) if len(site.given) > 1 or site.kwargs.get("dim") is not None else None


# Shapes


def _reshape(site: Site) -> Call | None:
    sizes = site.given[1:]
    if site.kwargs or not sizes or not all(isinstance(size, int | tuple | list) for size in sizes):
        return None
    asked = tuple(sizes[0]) if isinstance(sizes[0], tuple | list) else tuple(sizes)
    return lambda tensor, *_: tensor.reshape(tensor.shape[0], *asked)


def _flatten(site: Site) -> Call | None:
    if site.kwargs or len(site.given) > 1:
        return None
    return lambda tensor: tensor.reshape(tensor.shape[0], -1)


def _turned(site: Site) -> Call | None:
    """A matrix transposed; a vector as it is."""
    rank = site.given[0].ndim
    if rank > 2:
        return None
    return (lambda tensor: tensor.mT) if rank == 2 else (lambda tensor: tensor.view(tensor.shape))


def _transpose(site: Site) -> Call | None:
    moved = _shifted(tuple(site.given[1:]))
    if site.kwargs or moved is None:
        return None
    return lambda tensor, *_: tensor.transpose(*moved)


def _unsqueeze(site: Site) -> Call | None:
    moved = _shifted(site.given[1]) if len(site.given) == 2 else None
    return None if moved is None else lambda tensor, _: tensor.unsqueeze(moved)


def _same(site: Site) -> Call | None:
    """A call that takes no heed of how many dimensions there are in front."""
    return site.call if site.is_plain else None


def _item(site: Site) -> Call | None:
    """`x[…]` by ints, slices and at most one tensor: more of them would change places."""
    index = site.given[1]
    parts = index if isinstance(index, tuple) else (index,)
    tensors = sum(isinstance(part, torch.Tensor | list) or type(part) is Ref for part in parts)
    plain = all(part is None or part is ... or type(part) in (int, slice) for part in parts)
    if not site.is_plain or not (plain or (tensors == 1 and len(parts) == 1)):
        return None

    def item(tensor: torch.Tensor, index: Any) -> torch.Tensor:
        return tensor[(slice(None), *(index if isinstance(index, tuple) else (index,)))]

    return item


def _joined(site: Site) -> Call | None:
    """cat and stack: what is the same in all lanes is repeated."""
    tensors, *rest = site.given
    moved = _shifted(rest[0] if rest else site.kwargs.get("dim", 0))
    if not isinstance(tensors, tuple | list) or moved is None or set(site.kwargs) - {"dim"}:
        return None
    here = [type(one) is Ref and one.index in site.live for one in tensors]
    known = [site.values[one.index] if type(one) is Ref else one for one in tensors]
    if len({one.ndim if isinstance(one, torch.Tensor) else -1 for one in known}) != 1:
        return None
    call, first = site.call, here.index(True)

    def joined(tensors: Sequence[torch.Tensor], *_: Any, **__: Any) -> Any:
        lanes = tensors[first].shape[0]
        return call(
            [t if h else t.expand(lanes, *t.shape) for t, h in zip(tensors, here, strict=True)], moved
        )

    return joined


# Products

PRODUCTS = ("matmul", "linalg.matmul", "mm", "mv", "bmm", "dot")
"""The paths of matmul, and of what is one of its ranks by another name."""


def _product(site: Site) -> Call | None:
    """A product of any ranks."""
    if site.kwargs or len(site.given) != 2:
        return None
    (one, other), (left, right) = site.given, site.lanes
    ranks = one.ndim, other.ndim
    if not all(ranks):
        return None
    if right and not left and ranks[1] == 1 and ranks[0] <= 2:
        return _turned_about
    if left and right and ranks == (1, 1):
        return lambda a, b: (a * b).sum(-1)
    if (left and ranks[0] == 1 and (right or ranks[1] > 2)) or (right and ranks[1] == 1):
        return _with_vectors(ranks, left, right)
    missing = [max(ranks) - rank if lanes else 0 for rank, lanes in zip(ranks, (left, right), strict=True)]
    # A matrix in front of or behind lanes of what is larger is broadcast as it is.
    return _padded(torch.matmul, missing) if min(ranks) > 1 and any(missing) else torch.matmul


def _turned_about(matrix: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
    """A matrix (m, n), or a vector (n,), times vectors (lanes, n), as one product."""
    return torch.matmul(vectors, matrix.mT if matrix.ndim == 2 else matrix)


def _with_vectors(ranks: tuple[int, int], left: bool, right: bool) -> Call:
    """A product in which a vector is made a matrix, and its dimension taken away afterwards."""
    row, column = ranks[0] == 1, ranks[1] == 1
    top = max(*ranks, 2)
    missing = [top - max(rank, 2) if lanes else 0 for rank, lanes in zip(ranks, (left, right), strict=True)]

    def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a = _pad(a.unsqueeze(-2) if row else a, missing[0])
        b = _pad(b.unsqueeze(-1) if column else b, missing[1])
        made = torch.matmul(a, b)
        made = made.squeeze(-1) if column else made
        return made.squeeze(-2) if row and not column else made.squeeze(-1) if row else made

    return product


def _linear(site: Site) -> Call | None:
    """linear of an input that alone has lanes."""
    return site.call if site.is_plain and site.lanes[0] and not any(site.lanes[1:]) else None


_RULES: dict[str, Rule] = {
    **dict.fromkeys(("sum", "mean", "amax", "amin", "nansum", "prod", "var", "std"), _along),
    **dict.fromkeys(("softmax", "log_softmax", "logsumexp", "cumsum", "cumprod", "flip"), _along_one),
    **dict.fromkeys(("nn.functional.softmax", "nn.functional.log_softmax"), _along_one),
    **dict.fromkeys(("special.softmax", "special.log_softmax", "special.logsumexp"), _along_one),
    **dict.fromkeys(PRODUCTS, _product),
    **dict.fromkeys(("reshape", "Tensor.view"), _reshape),
    **dict.fromkeys(("flatten", "ravel"), _flatten),
    **dict.fromkeys(("Tensor.T", "t"), _turned),
    **dict.fromkeys(("transpose", "swapaxes", "swapdims"), _transpose),
    **dict.fromkeys(("clone", "Tensor.contiguous", "Tensor.mT"), _same),
    **dict.fromkeys(("cat", "concat", "concatenate", "stack"), _joined),
    "nn.functional.linear": _linear,
    "unsqueeze": _unsqueeze,
    "Tensor.__getitem__": _item,
}
"""The rules by path; functions that work element by element have theirs by their kind."""
