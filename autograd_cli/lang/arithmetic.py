"""Python's own arithmetic on numbers and lists, with what it costs bounded before it is paid.

Everything here raises LanguageError and LimitError alone, without a place: the caller
knows the node.
"""

import builtins
import operator
from collections.abc import Callable
from itertools import chain
from typing import Any

from autograd_cli.errors import LanguageError, LimitError, first_line
from autograd_cli.lang.reader import MAX_INTEGER_BITS

MAX_ITEMS = 1_000_000
"""Items of a list, unless the caller says otherwise."""

Number = bool | int | float | complex

CALLS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda item, container: item in container,
    "not in": lambda item, container: item not in container,
    "not": operator.not_,
    "~": operator.invert,
    "unary -": operator.neg,
    "unary +": operator.pos,
    "[]": operator.getitem,
}
"""What Python does for each operator, by the symbol of its row; on a tensor that is torch's."""

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in"})


def apply_binary(op: str, left: Any, right: Any, max_items: int = MAX_ITEMS) -> Any:
    """`left op right` as Python computes it; comparisons too.

    What would be too large is found from the operands before anything is computed:
    LanguageError AGX110 for an integer, LimitError AGX606 for a list of more than
    `max_items`. Raises LanguageError AGX107 where Python has no result.
    """
    if op in _COMPARISONS:
        return _computed(op, left, right)
    check_cost(op, left, right, max_items)
    return _computed(op, left, right)


def apply_unary(op: str, value: Any) -> Any:
    """`op value` as Python computes it: one of `-`, `+`, `~`, `not`."""
    try:
        return CALLS[f"unary {op}" if f"unary {op}" in CALLS else op](value)
    except TypeError:
        raise LanguageError(
            "AGX107",
            f"`{op}` is applied to {_kind(value)}, which has no such operation.",
            hint=_hint(op, value),
        ) from None


def apply_index(value: Any, index: Any) -> Any:
    """`value[index]` of a list, a tuple, or a shape."""
    if isinstance(value, str | Number) or value is None:
        raise LanguageError(
            "AGX107",
            f"An index is applied to {_kind(value)}, which has no elements.",
            hint="Index a tensor, a list or a tuple.",
        )
    try:
        return value[index]
    except IndexError:
        raise LanguageError(
            "AGX107",
            f"The index {_shown(index)} is outside of {_kind(value)} of length {len(value)}.",
            hint=f"Its elements are 0 to {len(value) - 1}, or -1 to -{len(value)} from the end."
            if len(value)
            else "It has no elements.",
        ) from None
    except (TypeError, ValueError, OverflowError) as error:
        raise LanguageError(
            "AGX107",
            f"{_kind(value).capitalize()} cannot be indexed so: {error}.",
            hint="Write an int or a slice.",
        ) from None


def python_function(name: str) -> Callable[..., Any]:
    """Python's own `name`, one of the eight that are torch's on a tensor, with bounds."""
    own: Callable[..., Any] = getattr(builtins, name)

    def bounded(*args: Any, **keywords: Any) -> Any:
        if name == "pow" and len(args) == 2 and not keywords:
            return apply_binary("**", *args)
        if name == "sum" and any(map(_is_sequence, (*args[1:], *keywords.values()))):
            raise LanguageError(
                "AGX107",
                "Python's `sum` cannot take this: a list to start from.",
                hint="Lists are joined by `+`.",
            )
        try:
            return own(*args, **keywords)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise LanguageError(
                "AGX107",
                f"Python's `{name}` cannot take this: {first_line(error)}.",
                hint="On a tensor it is torch's.",
            ) from None

    return bounded


def refuse_items(what: str, values: Any, max_items: int) -> None:
    """Nothing, or LimitError AGX606 where `values` hold more items, inner lists counted.

    `what` is the beginning of a sentence that goes on with the number.
    """
    if isinstance(values, list | tuple | range) and (found := items(values, max_items)) > max_items:
        raise too_many(what, found, max_items)


def too_many(what: str, count: int, max_items: int) -> LimitError:
    """AGX606: the refusal of a list of `count` items; `what` begins the sentence."""
    return LimitError(
        "AGX606",
        f"{what} {count:,} items; the limit is {max_items:,}.",
        hint="A tensor holds any number: `zeros(n)`, `arange(n)`. Or raise the limit with --max-items.",
    )


def items(values: Any, enough: int) -> int:
    """The number of items of a list, those of inner lists counted; more than `enough` if there are more.

    A range counts as a list; 0 for what is neither. Of lists that hold each other the items
    count once.
    """
    count, level, depth = 0, [values], 0
    while level and count <= enough:
        inner = [one for one in level if _is_sequence(one)]
        depth += 1
        if depth > _DEEP and inner:
            return _items_once(values, enough)
        count += sum(map(len, inner)) + sum(_length(one) for one in level if isinstance(one, range))
        level = list(chain.from_iterable(inner)) if count <= enough else []
    return count


_DEEP = 12
"""Lists so deep in each other are taken to hold each other, or one another many times."""


def _items_once(values: Any, enough: int) -> int:
    """The same where each list is counted once."""
    count, waiting, seen = 0, [values], set()
    while waiting and count <= enough:
        top = waiting.pop()
        if isinstance(top, range):
            count += _length(top)
        elif _is_sequence(top) and id(top) not in seen:
            seen.add(id(top))
            count += len(top)
            waiting += top
    return count


def _length(numbers: range) -> int:
    """The length of a range; `len` raises beyond what a machine could index."""
    return max(0, -((numbers.start - numbers.stop) // numbers.step))


def check_cost(op: str, left: Any, right: Any, max_items: int) -> None:
    """Nothing, or the refusal of a result of more than MAX_INTEGER_BITS bits or `max_items` items.

    A string counts as its characters; of it the language has `+` and `*` alone, since `%` formats.
    """
    if isinstance(left, str) or isinstance(right, str):
        _check_text(op, left, right, max_items)
    elif _is_sequence(left) or _is_sequence(right):
        _check_items(op, left, right, max_items)
    elif isinstance(left, int) and isinstance(right, int) and _bits(op, left, right) > MAX_INTEGER_BITS:
        raise LanguageError(
            "AGX110",
            f"`{_shown(left)} {op} {_shown(right)}` is an integer of more than {MAX_INTEGER_BITS:,} bits.",
            hint="Write a float, `2.0**100`, or a tensor; an int64 tensor holds up to 2**63 - 1.",
        )


def _bits(op: str, left: int, right: int) -> int:
    """At most how many bits the integer `left op right` has."""
    first, second = left.bit_length(), right.bit_length()
    if op == "**":
        return 0 if right < 0 or left in (-1, 0, 1) else first * right
    if op == "<<":
        return 0 if right < 0 or left == 0 else first + right
    return first + second if op == "*" else max(first, second) + 1


def _is_sequence(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _check_text(op: str, left: Any, right: Any, max_items: int) -> None:
    if op not in ("+", "*"):
        raise LanguageError(
            "AGX107",
            f"`{op}` is applied to a string, which has `+` with another string and `*` by a number.",
            hint='Texts are put together by f-strings: `f"loss {loss:.4f}"`.',
        )
    text, other = (left, right) if isinstance(left, str) else (right, left)
    count = len(text) * other if isinstance(other, int) else len(text)
    if op == "+" and isinstance(other, str):
        count += len(other)
    if count > max_items:
        raise LimitError(
            "AGX606",
            f"`{op}` makes a string of {count:,} characters; the limit is {max_items:,}.",
            hint="Write a shorter one, or raise the limit with --max-items.",
        )


def _check_items(op: str, left: Any, right: Any, max_items: int) -> None:
    """Refuse a list that a repetition or a joining makes too long, inner lists counted."""
    many, times = (left, right) if _is_sequence(left) else (right, left)
    if op == "*" and isinstance(times, int):
        count = items(many, max_items) * max(times, 0)
    else:
        count = items(left, max_items) + items(right, max_items)
    if count > max_items:
        raise too_many(f"`{op}` makes a list of", count, max_items)


def _computed(op: str, left: Any, right: Any) -> Any:
    """What Python gives; LanguageError AGX107 where it raises."""
    try:
        return CALLS[op](left, right)
    except ZeroDivisionError:
        raise LanguageError(
            "AGX107",
            f"`{_shown(left)} {op} {_shown(right)}` divides by zero, which Python's numbers cannot.",
            hint="On tensors it gives inf or nan: bind the number to a name, or write `tensor(0.)`.",
        ) from None
    except OverflowError:
        raise LanguageError(
            "AGX107",
            f"`{_shown(left)} {op} {_shown(right)}` is beyond the largest float, 1.8e308.",
            hint="On tensors it gives inf: bind the number to a name, or write `tensor(10.)`.",
        ) from None
    except (TypeError, ValueError, MemoryError, RecursionError):
        raise _no_result(op, left, right) from None


def _no_result(op: str, left: Any, right: Any) -> LanguageError:
    if op in ("<<", ">>") and isinstance(left, int) and isinstance(right, int):
        return LanguageError(
            "AGX107",
            f"`{_shown(left)} {op} {_shown(right)}` shifts by a negative number of bits.",
            hint=f"Write `{'>>' if op == '<<' else '<<'}` to shift the other way.",
        )
    return LanguageError(
        "AGX107",
        f"`{op}` has no meaning between {_kind(left)} and {_kind(right)}.",
        hint=_hint(op, left if _is_sequence(left) else right),
    )


def _hint(op: str, value: Any) -> str:
    if _is_sequence(value):
        return "A list takes part in arithmetic as a tensor: write `tensor([…])` around it."
    if op == "^" and isinstance(value, float | complex | int):
        return "`^` is exclusive or, on integers; a power is written `**`."
    if op == "@":
        return "`@` multiplies matrices; write `*` for numbers."
    return "Write numbers or tensors on both sides."


_KINDS = {
    bool: "a truth value",
    int: "an integer",
    float: "a float",
    complex: "a complex number",
    str: "a string",
    list: "a list",
    tuple: "a tuple",
    type(None): "None",
}


def _kind(value: Any) -> str:
    """What a person calls such a value."""
    known = next((word for type_, word in _KINDS.items() if type(value) is type_), None)
    if known is None and isinstance(value, tuple):
        return "a tuple"
    return known or f"a {type(value).__name__}"


def _shown(value: Any) -> str:
    """A number as it is written; a long one by its first digits or its size."""
    if isinstance(value, int) and value.bit_length() > 100:
        return f"an integer of {value.bit_length():,} bits"
    shown = repr(value) if isinstance(value, Number) else _kind(value)
    return shown if len(shown) <= 40 else shown[:37] + "…"
