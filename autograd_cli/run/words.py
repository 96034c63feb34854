"""Strings that are formatted, filled up and taken apart, with their size bounded before they are made."""

import re
from collections.abc import Callable, Iterable, Sequence
from string import Formatter
from typing import TYPE_CHECKING, Any

from autograd_cli.errors import LanguageError
from autograd_cli.lang import nodes
from autograd_cli.lang.called import LOOKS_HINT, LOOKS_INTO
from autograd_cli.lang.functions.rows import Function
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.nested import is_nested
from autograd_cli.run.numbers import LONGEST, too_long
from autograd_cli.run.state import whole
from autograd_cli.run.texts import check_width, masked, written

if TYPE_CHECKING:
    from autograd_cli.run.expressions import Compiler


def method(
    compiler: "Compiler", node: nodes.Call, function: Function, exprs: tuple[Expr, ...]
) -> Callable[..., Any]:
    """The call of a method of a string, on arguments."""
    state, make = compiler.state, _MADE.get(function.name) or _plain(function.name)

    def call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            made = make(*map(whole, args), **{name: whole(value) for name, value in kwargs.items()})
        except Exception as error:
            state.failed(error, node, None, args, exprs)
            raise
        return state.constant(node, made)

    return call


def _plain(name: str) -> Callable[..., Any]:
    """A method whose result is no longer than the string."""
    found: Callable[..., Any] = getattr(str, name)
    return found


def _refuse(size: int) -> None:
    if size > LONGEST:
        raise too_long(size)


class _Format(Formatter):
    """As `str.format` does it; a place names a value, and looks at nothing inside of it."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Any) -> Any:
        if not re.fullmatch(r"\w*", field_name):
            raise LanguageError(
                "AGX105",
                LOOKS_INTO.format(field_name),
                hint=LOOKS_HINT,
            )
        return self.get_value(int(field_name) if field_name.isdigit() else field_name, args, kwargs), None

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Any) -> Any:
        if isinstance(key, int) and key >= len(args):
            raise IndexError(f"Replacement index {key} out of range for positional args tuple")
        return super().get_value(key, args, kwargs)

    def format_field(self, value: Any, format_spec: str) -> str:
        check_width(format_spec)
        if not format_spec and is_nested(value):
            return written(value)
        return masked(format(value, format_spec))

    def convert_field(self, value: Any, conversion: Any) -> Any:
        return super().convert_field(_Written(value) if is_nested(value) else value, conversion)


class _Written:
    """Lists in lists, which write themselves without recursion."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return written(self.value)


def _format(text: str, /, *values: Any, **named: Any) -> str:
    """`text.format(…)`; each value is written once for each place."""
    made = _Format().vformat(text, values, named)
    _refuse(len(made))
    return made


def _length(value: Any) -> int:
    """How long a text is; what is none is written in little."""
    return len(value) if isinstance(value, str) else 0


def _join(text: str, parts: Iterable[Any], /) -> str:
    """`text.join(parts)`."""
    items = list(parts)
    _refuse(sum(map(_length, items)) + len(text) * len(items))
    return text.join(items)


def _replace(text: str, old: str, new: str, count: int = -1, /) -> str:
    """`text.replace(old, new)`."""
    if isinstance(old, str) and isinstance(new, str):
        times = text.count(old)
        times = times if count < 0 else min(times, count)
        _refuse(len(text) + times * (len(new) - len(old)))
    return text.replace(old, new, count)


def _filled(name: str) -> Callable[..., str]:
    """A method that fills a string up to a width."""
    fill = getattr(str, name)

    def filled(text: str, width: Any, *rest: Any) -> str:
        if isinstance(width, int):
            _refuse(width)
        made: str = fill(text, width, *rest)
        return made

    return filled


_MADE: dict[str, Callable[..., Any]] = {
    "format": _format,
    "join": _join,
    "replace": _replace,
    **{name: _filled(name) for name in ("ljust", "rjust", "center", "zfill")},
}
"""The methods whose result can be longer than the string."""
