"""Arguments as keys, equal where a rule could not tell them apart."""

from collections.abc import Callable
from math import inf
from types import EllipsisType, NoneType
from typing import Any

from autograd_cli.report import Ref

_PLAIN = frozenset({int, float, complex, bool, str, NoneType, EllipsisType})


def exact(given: Any, other: Callable[[Any], Any], longest: float = inf) -> Any:
    """An argument as a key: `1`, `1.0` and `True` are equal, and so are `0.0` and `-0.0`, but no key is.

    What `other` gives is the key of a thing of another kind, and of a list of more items than `longest`.
    """
    kind = type(given)
    if kind is Ref:
        return given.index
    if kind in _PLAIN:
        return kind, repr(given)
    if (kind is tuple or kind is list) and len(given) <= longest:
        return kind, tuple([exact(one, other, longest) for one in given])
    if kind is slice:
        return kind, exact((given.start, given.stop, given.step), other, longest)
    return other(given)
