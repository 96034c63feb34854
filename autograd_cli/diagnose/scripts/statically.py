"""What objects hold, read without running code of their classes: no property, no `__getattr__`."""

from collections.abc import Iterator
from itertools import islice
from types import GetSetDescriptorType
from typing import Any

_MOST_ITEMS = 16
_MOST_ATTRIBUTES = 1_000
_NOT_LOOKED_INTO = (type, type(lambda: 0), type(len), type(iter), str, bytes)


def lineage(value: Any) -> tuple[type, ...]:
    """The class of a value and those it descends from, whatever its `__class__` and its metaclass say."""
    found: tuple[type, ...] = type.__dict__["__mro__"].__get__(type(value))
    return found


def descends(value: Any, kind: type) -> bool:
    """Whether a value is a `kind`, by its real class."""
    return any(one is kind for one in lineage(value))


def attributes(value: Any) -> dict[str, Any]:
    """The attributes that the value itself holds; none where its class has a `__dict__` of its own making."""
    for one in lineage(value):
        slot = type.__dict__["__dict__"].__get__(one).get("__dict__")
        if slot is not None:
            found = slot.__get__(value) if type(slot) is GetSetDescriptorType else None
            return found if type(found) is dict else {}
    return {}


def parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What a value holds, each with what is written behind the value's name to reach it.

    Elements of short sequences and dicts, else attributes; of a module its parameters, buffers and children.
    """
    if any(descends(value, kind) for kind in _NOT_LOOKED_INTO):
        return
    if descends(value, dict):
        yield from _of_dict(value)
    elif descends(value, list) or descends(value, tuple):
        kind = list if descends(value, list) else tuple
        if kind.__len__(value) <= _MOST_ITEMS:
            yield from zip(_places(value), kind.__iter__(value), strict=False)
    else:
        yield from _of_object(attributes(value))


def _places(value: Any) -> Iterator[str]:
    """What is written to reach each element of a sequence: its field where it has fields, else its index."""
    held = map(type.__dict__["__dict__"].__get__, lineage(value))
    fields = next((one["_fields"] for one in held if "_fields" in one), ())
    if type(fields) is tuple and fields and all(type(name) is str for name in fields):
        yield from (f".{name}" for name in fields)
    else:
        yield from (f"[{at}]" for at in range(_MOST_ITEMS))


def _of_dict(value: Any) -> Iterator[tuple[str, Any]]:
    if dict.__len__(value) <= _MOST_ITEMS:
        for key, item in list(dict.items(value)):
            if type(key) in (str, int):
                yield f"[{key!r}]", item


def _of_object(held: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, item in islice(list(held.items()), _MOST_ATTRIBUTES):
        if name in ("_parameters", "_buffers", "_modules") and type(item) is dict:
            for own, value in list(item.items()):
                yield (f"[{own}]" if str(own).isdecimal() else f".{own}"), value
        elif type(name) is str:
            yield f".{name}", item
