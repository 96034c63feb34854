"""How like two messages of torch are, whatever their numbers, and which program says the likest."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from autograd_cli.catalogue.load import Example

_CLASS = re.compile(r"^\w+(?:Error|Warning): ")
_NUMBERS = re.compile(r"\b\d[\dx]*\b|[^a-z0-9_ ]+")
_SAME = 0.7


@cache
def message_words(message: str) -> frozenset[str]:
    """The words of a message in lower case, without the class of the error, numbers and punctuation."""
    return frozenset(_NUMBERS.sub(" ", _CLASS.sub("", message).lower()).split())


def nearness(message: str, other: str) -> tuple[float, int]:
    """The share of the words of the shorter message that are in the other, and minus how many differ.

    Logs leave words out and releases add some, so it is the shorter one that has to be there.
    """
    words, others = message_words(message), message_words(other)
    share = len(words & others) / min(len(words), len(others)) if words and others else 0.0
    return share, -len(words ^ others)


def is_same(message: str, other: str) -> bool:
    """Whether two messages are of one error in about the same words."""
    return nearness(message, other)[0] >= _SAME


@dataclass(frozen=True)
class Said:
    """A program with a mistake, what torch says of it, and the names of what is found in it."""

    example: Example
    message: str
    names: frozenset[str]


def nearest(programs: Sequence[Said], message: str, name: str) -> Said | None:
    """The program that says what is likest to `message`, or else has `name`; of equals the shortest."""

    def rank(one: Said) -> tuple[object, ...]:
        share, differing = nearness(one.message, message)
        is_like = is_same(one.message, message)
        return bool(one.message), is_like, share, name in one.names, differing, -len(one.example.text)

    return max(programs, key=rank, default=None)
