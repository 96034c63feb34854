"""Lists and tuples inside each other: rebuilt and written without recursion, each once.

A program's lists may lie deeper in each other than Python's stack is high, may share what is
in them many times over, and may hold themselves.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autograd_cli.lang.arithmetic import too_many

DEEPEST = 900
"""Lists in each other that Python writes, and compares, before it raises RecursionError."""

MOST_ITEMS = 1 << 24
"""Items of lists in lists that are given to a call."""

_BRACKETS: dict[Any, tuple[str, str, str]] = {list: ("[", "]", "[...]"), tuple: ("(", ")", "(...)")}


def is_nested(value: Any) -> bool:
    """Whether `value` is a list or a tuple with another one in it."""
    if type(value) is not list and type(value) is not tuple:
        return False
    kinds = set(map(type, value))
    return list in kinds or tuple in kinds


_ATOMS = frozenset({int, float, bool, complex, str, type(None)})


def is_table(value: Any) -> bool:
    """Whether `value` is a list of lists of numbers, no two one object, and not too many for a call."""
    if type(value) is not list or not value or type(value[0]) is not list:
        return False
    for row in value:
        if type(row) is not list or not _ATOMS.issuperset(map(type, row)):
            return False
    return len(set(map(id, value))) == len(value) and sum(map(len, value)) <= MOST_ITEMS


def rebuilt(whole: Any, leaf: Callable[[Any], Any], made: dict[int, Any] | None = None) -> Any:
    """`whole` with every item that is no list and no tuple replaced by what `leaf` gives for it.

    What is one object there is one object here; `made` keeps that so over several calls, while
    their arguments live. A tuple is made of finished tuples and of lists that are filled after it.
    """
    made = {} if made is None else made
    box: list[Any] = [whole]
    lists = [box]
    own: list[Any] = []
    filled = [own]

    def of(item: Any) -> Any:
        if type(item) is list:
            if id(item) not in made:
                made[id(item)] = []
                lists.append(item)
                filled.append(made[id(item)])
            return made[id(item)]
        return made[id(item)] if type(item) is tuple else leaf(item)

    for each, target in zip(lists, filled, strict=True):  # both grow
        _make_tuples(each, of, made)
        target += map(of, each)
    return own[0]


def _make_tuples(each: list[Any], of: Callable[[Any], Any], made: dict[int, Any]) -> None:
    """Make the tuples in a list, the innermost first."""
    waiting = [item for item in each if type(item) is tuple]
    while waiting:
        top = waiting[-1]
        due = (
            [] if id(top) in made else [item for item in top if type(item) is tuple and id(item) not in made]
        )
        if due:
            waiting += due
            continue
        waiting.pop()
        if id(top) not in made:
            made[id(top)] = tuple(map(of, top))


def pieces(whole: Any) -> Iterator[str]:
    """What Python's `repr` of a list or a tuple is, piece by piece; RecursionError deeper than DEEPEST."""
    start, end, _ = _BRACKETS[type(whole)]
    stack: list[tuple[Any, Iterator[Any], str]] = [(whole, iter(whole), end)]
    open_ones, comma = {id(whole)}, ""
    yield start
    while stack:
        top, items, end = stack[-1]
        for item in items:
            if type(item) not in _BRACKETS:
                yield comma + repr(item)
            elif id(item) in open_ones:
                yield comma + _BRACKETS[type(item)][2]
            else:
                start, closing, _ = _BRACKETS[type(item)]
                yield comma + start
                stack.append((item, iter(item), closing))
                open_ones.add(id(item))
                comma = ""
                break
            comma = ", "
        else:
            yield ("," if type(top) is tuple and len(top) == 1 else "") + end
            open_ones.discard(id(top))
            stack.pop()
            comma = ", "
        if len(stack) > DEEPEST:
            raise RecursionError("maximum recursion depth exceeded while getting the repr of an object")


def check_depth(value: Any) -> None:
    """Nothing, or RecursionError for lists more than DEEPEST deep in each other, or that hold themselves.

    LimitError AGX606 for more than MOST_ITEMS in all, those of a list that is there twice counted twice.
    """
    inner: dict[int, list[Any]] = {}
    own: dict[int, int] = {}
    level = {id(value): value}
    times = Counter({id(value): 1})
    count = 0
    for _ in range(DEEPEST):
        for key, each in level.items():
            if key not in inner:
                inner[key] = [item for item in each if type(item) is list or type(item) is tuple]
                own[key] = len(each)
            count += times[key] * own[key]
        if count > MOST_ITEMS:
            raise too_many("An argument holds", count, MOST_ITEMS)
        found: Counter[int] = Counter()
        for key in level:
            for item in inner[key]:
                found[id(item)] += times[key]
        level = {id(item): item for key in level for item in inner[key]}
        times = found
        if not level:
            return
    raise RecursionError("maximum recursion depth exceeded")


@contextmanager
def usual_recursion() -> Iterator[None]:
    """As little room for recursion as Python gives by itself: what recurses in C takes its stack."""
    before, depth, frame = sys.getrecursionlimit(), 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    sys.setrecursionlimit(min(before, depth + 1000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
