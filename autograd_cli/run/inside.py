"""What torch is asked inside a person's own callable: where nodes are made, and what stands still.

A value that no gradient passes though its arguments require one (detach, a block of no_grad, item,
a comparison, what is drawn in the shape of a tensor) counts as a constant, as everywhere in a run: a
call on other values gets what was recorded.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from autograd_cli.run.values import tensors_in

Held = dict[int, tuple[Any, Any]]
"""By the number of the call: the function of torch and the value that stands still."""

Place = tuple[str, int]
"""A file and a line of theirs."""

_DRAWN = ("rand", "bernoulli", "multinomial", "normal", "poisson", "dropout")
"""What the names of functions that draw have in them."""

_NUMBERS = frozenset({"item", "tolist", "__float__", "__int__", "__bool__", "__index__", "__complex__"})
"""Functions that make numbers of a tensor."""


class Recording(TorchFunctionMode):
    """Sees every call of torch that their code makes, and changes none; `note` is given each value.

    `within` says whether an autograd.Function is being run, which is a call of its own; `where` gives
    the place that a call is made from. `cuts` holds, by the number of the call, where the graph is cut.
    """

    def __init__(
        self, note: Callable[[Any], None], within: Callable[[], bool], where: Callable[[], Place]
    ) -> None:
        super().__init__()
        self.note = note
        self.within = within
        self.where = where
        self.held: Held = {}
        self.cuts: dict[int, Place] = {}
        self.number = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        if self.within():
            return func(*args, **given)
        number, required = self.number, _requires([*args, *given.values()])
        value = func(*args, **given)
        self.number += 1
        self.note(value)
        if required and _is_still(func, value):
            self.held[number] = (func, _copied(value))
            if _is_cut(func, value):
                self.cuts[number] = self.where()
        return value


class Replaying(TorchFunctionMode):
    """Gives what stood still when the call was recorded, in double precision with `double`.

    Raises RuntimeError where their code takes another way than it did then.
    """

    def __init__(self, held: Held, within: Callable[[], bool], double: bool) -> None:
        super().__init__()
        self.held = held
        self.within = within
        self.double = double
        self.number = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.within():
            return func(*args, **(kwargs or {}))
        found = self.held.get(self.number)
        self.number += 1
        if found is None:
            return func(*args, **(kwargs or {}))
        if found[0] != func:
            raise RuntimeError("it takes another way on other values")
        if _is_drawn(func):
            func(*args, **(kwargs or {}))  # what is drawn after it is the same
        with torch._C.DisableTorchFunction():
            return _copied(found[1], self.double)


def _requires(given: list[Any]) -> bool:
    return any(tensor.requires_grad for tensor in tensors_in(given))


def _is_still(func: Any, value: Any) -> bool:
    """Whether no gradient passes to a value that is made of tensors' elements."""
    if isinstance(value, torch.Tensor):
        return not value.requires_grad
    return getattr(func, "__name__", "") in _NUMBERS


def _is_cut(func: Any, value: Any) -> bool:
    """Whether what stands still is a number that is made of others, and not drawn or a question."""
    if isinstance(value, bool) or (isinstance(value, torch.Tensor) and value.dtype == torch.bool):
        return False
    return not _is_drawn(func)


def _is_drawn(func: Any) -> bool:
    """Whether a function draws random numbers, by its name."""
    return any(part in getattr(func, "__name__", "") for part in _DRAWN)


def _copied(value: Any, double: bool = False) -> Any:
    """A value that later writes do not reach."""
    if not isinstance(value, torch.Tensor):
        return value
    made = value.detach().clone()
    return made.double() if double and made.is_floating_point() else made
