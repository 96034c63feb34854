"""Tensors as plain data: elements, how many there are, their summary; and how facts of them are written."""

from collections.abc import Iterator, Sequence
from math import isinf, isnan
from typing import Any

from autograd_cli.report.records import Summary, Values


def flat(values: Any) -> Iterator[Any]:
    """The elements of nested tuples or lists in row-major order; a bare number is one element."""
    stack = [iter((values,))]
    while stack:
        for item in stack[-1]:
            if isinstance(item, tuple | list):
                stack.append(iter(item))
                break
            yield item
        else:
            stack.pop()


def element(values: Values, index: Sequence[int] | None) -> Any:
    """The element of nested values at `index`, None where there is no single one."""
    item: Any = values
    for at in index or ():
        if isinstance(item, Summary) or item is None:
            return None
        item = item[at]
    return None if isinstance(item, Summary | tuple) else item


def count(values: Values) -> int:
    """How many elements a tensor has, given written out or as its summary; 0 for None."""
    if values is None:
        return 0
    return values.count if isinstance(values, Summary) else sum(1 for _ in flat(values))


def summarise(values: Any) -> Summary:
    """The summary of nested values."""
    items = list(flat(values))
    is_complex = any(isinstance(item, complex) for item in items)
    nan = sum(item != item for item in items)
    inf = sum(_infinite(item) for item in items)
    finite = [] if is_complex else [item for item in items if not (isnan(item) or isinf(item))]
    ends = (min(finite), max(finite)) if finite else None
    return summary(len(items), ends, nan, inf)


def summary(count: int, ends: tuple[float, float] | None, nan: int, inf: int) -> Summary:
    """A Summary; `ends` are the least and the largest finite element, None where there is none.

    Complex numbers have no order and so no ends. Ends are floats, of integers too.
    """
    least, most = map(float, ends) if ends is not None else (None, None)
    return Summary(count, least, most, nan, inf)


def _infinite(item: Any) -> bool:
    if isinstance(item, complex):
        return isinf(item.real) or isinf(item.imag)
    return isinstance(item, float) and isinf(item)


def at_most(values: Values, limit: int) -> Values:
    """`values`, or their summary where they have more than `limit` elements."""
    if values is None or isinstance(values, Summary) or not isinstance(values, tuple | list):
        return values
    return values if count(values) <= limit else summarise(values)


def shape_text(shape: Sequence[int]) -> str:
    """A shape as a person writes it, without blanks: "(10,3)", "(3,)", "()"."""
    return f"({','.join(map(str, shape))}{',' * (len(shape) == 1)})"


def index_of(number: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The index of an element by its number, row after row (torch.unravel_index would import sympy)."""
    index = []
    for size in reversed(shape):
        number, place = divmod(number, size)
        index.append(place)
    return tuple(reversed(index))


def index_text(index: Sequence[int]) -> str:
    """An index as a person writes it, without blanks: "[0,2]"."""
    return f"[{','.join(map(str, index))}]"


_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def bytes_text(amount: int) -> str:
    """A number of bytes, in three digits of the largest unit that leaves at least 1: 8 B, 1.5 KiB."""
    power = min(max(amount.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    number = amount / 1024**power
    decimals = f"{number:.{max(3 - len(str(int(number))), 0)}f}"
    return f"{decimals.rstrip('0').rstrip('.') if '.' in decimals else decimals} {_UNITS[power]}"


def is_number(text: str) -> bool:
    """Whether a text is one number as Python's float reads it."""
    try:
        float(text)
    except ValueError:
        return False
    return True
