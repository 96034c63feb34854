"""How far a witness is that looks at one element after the other, for whoever shows it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Show = Callable[[int, int, str], None]
"""Takes how many elements were looked at, of how many, and of which leaf."""

_shows: list[Show] = []


@contextmanager
def showing(show: Show) -> Iterator[None]:
    """Have `show` told inside."""
    _shows.append(show)
    try:
        yield
    finally:
        _shows.pop()


def tell(done: int, count: int, name: str) -> None:
    """Tell who shows it, if anybody does."""
    if _shows:
        _shows[-1](done, count, name)
