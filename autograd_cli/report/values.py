"""Tensors as plain data: their elements, how many there are, and their summary."""

from collections.abc import Iterator
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


def count(values: Values) -> int:
    """How many elements a tensor has, given written out or as its summary; 0 for None."""
    if values is None:
        return 0
    return values.count if isinstance(values, Summary) else sum(1 for _ in flat(values))


def summarise(values: Any) -> Summary:
    """The summary of nested values; complex ones have no order, so neither min nor max."""
    items = list(flat(values))
    is_complex = any(isinstance(item, complex) for item in items)
    nan = sum(item != item for item in items)
    inf = sum(_infinite(item) for item in items)
    finite = [] if is_complex else [item for item in items if not (isnan(item) or isinf(item))]
    least, most = (float(min(finite)), float(max(finite))) if finite else (None, None)
    return Summary(len(items), least, most, nan, inf)


def _infinite(item: Any) -> bool:
    if isinstance(item, complex):
        return isinf(item.real) or isinf(item.imag)
    return isinstance(item, float) and isinf(item)


def at_most(values: Values, limit: int) -> Values:
    """`values`, or their summary where they have more than `limit` elements."""
    if values is None or isinstance(values, Summary) or not isinstance(values, tuple | list):
        return values
    return values if count(values) <= limit else summarise(values)
