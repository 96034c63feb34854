"""f-strings: made as Python makes them, of a bounded width."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from autograd_cli.errors import LimitError
from autograd_cli.lang import nodes
from autograd_cli.run.nested import is_nested, pieces, usual_recursion
from autograd_cli.run.numbers import LONGEST, too_long
from autograd_cli.run.questions import MISSING, number
from autograd_cli.run.state import Frame, Get, plain, whole
from autograd_cli.run.traced import Traced

if TYPE_CHECKING:
    from autograd_cli.run.expressions import Compiler

WIDEST = 1000
"""Characters that a width or a precision may ask for."""

_NUMBER = re.compile(r"\d+")
_ADDRESS = re.compile(r"( object)? at 0x[0-9a-f]+")
_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": str, "r": repr, "s": str, "a": ascii}


def masked(text: str) -> str:
    """`text` without the addresses of objects, which differ from run to run."""
    return _ADDRESS.sub("", text) if " at 0x" in text else text


def written(value: Any) -> str:
    """What Python's `str` gives, without addresses; LimitError AGX606 where lists in lists are too long."""
    if isinstance(value, BaseException):
        with usual_recursion():
            return masked(str(value))
    if not is_nested(value):
        return masked(str(value))
    made: list[str] = []
    size = 0
    for piece in pieces(value):
        made.append(piece)
        size += len(piece)
        if size > LONGEST:
            raise too_long(size)
    return masked("".join(made))


def begun(value: Any, most: int) -> str:
    """The first `most` characters of what Python writes for a value, however long or deep it is."""
    if type(value) is not list and type(value) is not tuple:
        return masked(str(value))[:most]
    made, size = [], 0
    with suppress(RecursionError):
        for piece in pieces(value):
            made.append(piece)
            size += len(piece)
            if size > most:
                break
    return masked("".join(made))[:most]


def _converted(value: Any, conversion: str) -> Any:
    """A value as `!r`, `!s` or `!a` turn it into text."""
    if not is_nested(value):
        return _CONVERSIONS[conversion](value)
    text = written(value)
    return text if conversion != "a" else text.encode("ascii", "backslashreplace").decode()


def joined(compiler: "Compiler", node: nodes.Joined) -> Get:
    """The parts of an f-string, one after the other."""
    gets, state = compiler.all(node.parts), compiler.state

    def join(frame: Frame) -> Any:
        made = "".join([get(frame) for get in gets])
        if len(made) > LONGEST:
            raise _placed(too_long(len(made)), state.text, node)
        return state.constant(node, made)

    return join


def formatted(compiler: "Compiler", node: nodes.Formatted) -> Get:
    """One value, converted and formatted."""
    get, state = compiler.compile(node.value), compiler.state
    form = None if node.form is None else compiler.compile(node.form)
    checked, ask = _checked(node), number(compiler, node.value)

    def text(frame: Frame) -> Any:
        argument = MISSING if ask is None else ask(frame)
        if argument is MISSING:
            argument = get(frame)
        spec = checked if checked or form is None else plain(form(frame))
        try:
            if spec != checked:
                check_width(spec)
            value = argument.value if type(argument) is Traced else argument
            if type(value) is float and not node.conversion:
                return format(value, spec)
            value = whole(argument)
            if node.conversion or (not spec and is_nested(value)):
                value = _converted(value, node.conversion)
            return masked(format(value, spec))
        except Exception as error:
            state.failed(error, node.value, None, (argument,), (node.value,))
            raise

    return text


def _checked(node: nodes.Formatted) -> str:
    """The format that stands in the source, where its width is none to refuse; else nothing."""
    parts = node.form.parts if isinstance(node.form, nodes.Joined) else (node.form,)
    if len(parts) != 1 or not isinstance(parts[0], nodes.Text):
        return ""
    try:
        check_width(parts[0].value)
    except LimitError:
        return ""
    return parts[0].value


def check_width(spec: str) -> None:
    """Nothing, or LimitError AGX606 for a width or a precision of more than WIDEST."""
    if any(len(digits) > 4 or int(digits) > WIDEST for digits in _NUMBER.findall(spec)):
        raise LimitError(
            "AGX606",
            f"The format `{spec[:20]}` asks for more than {WIDEST:,} characters.",
            hint="Write a smaller width or precision; no option raises this limit.",
        )


def _placed(error: LimitError, text: str, node: nodes.Expr) -> LimitError:
    error.text, error.span = text, node.span
    return error
