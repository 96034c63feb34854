"""What is remembered: by its key, which texts and how many keys; in an instance; identity as part of keys."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, Generic, Self, TypeVar, TypeVarTuple, overload

_Key = TypeVarTuple("_Key")
_Result = TypeVar("_Result")
_Owner = TypeVar("_Owner")
_Made = TypeVar("_Made")

SHORT = 200
"""Characters of a text that is remembered once it is read: a batch has it again under other values."""


@dataclass(frozen=True, eq=False, slots=True)
class Same:
    """`it` as part of a key: equal to the very same thing and to nothing that is merely like it.

    Two nodes are equal wherever they stand, and `2` is equal to `2.0`. A key that holds the thing
    keeps it alive, so that no other can come to have its id.
    """

    it: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.it is other.it

    def __hash__(self) -> int:
        return id(self.it)


class once(Generic[_Owner, _Made]):  # noqa: N801 - written as cached_property is
    """A property that is made when it is first asked for, and then kept in the instance.

    functools.cached_property does the same under a lock, which takes longer than most of what is kept.
    """

    def __init__(self, make: Callable[[_Owner], _Made]) -> None:
        self.make = make
        self.name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...

    @overload
    def __get__(self, owner: _Owner, kind: type) -> _Made: ...

    def __get__(self, owner: _Owner | None, kind: type) -> Self | _Made:
        if owner is None:
            return self
        made = owner.__dict__[self.name] = self.make(owner)
        return made


_KEPT = 64
"""Results that are kept of one function."""

_NOTED = 1 << 12
"""Keys that are noted before all of them are forgotten."""


def remembered(function: Callable[[*_Key], _Result]) -> Callable[[*_Key], _Result]:
    """`function`, whose result is kept once it was asked for twice, for the keys asked for last.

    Of a key that comes once, as of a text that no other line of a batch has, nothing but its hash
    is noted: results that nobody asks for again would only fill memory.
    """
    known, noted = lru_cache(_KEPT)(function), set[int]()

    @wraps(known)
    def ask(*key: *_Key) -> _Result:
        number = hash(key)
        if number in noted:
            return known(*key)
        if len(noted) >= _NOTED:
            noted.clear()
        noted.add(number)
        return function(*key)

    return ask
