"""f-strings: made as Python makes them, of a bounded width."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograd_cli.errors import LimitError
from autograd_cli.lang import nodes
from autograd_cli.run.numbers import LONGEST, too_long
from autograd_cli.run.state import Frame, Get, plain

if TYPE_CHECKING:
    from autograd_cli.run.expressions import Compiler

WIDEST = 1000
"""Characters that a width or a precision may ask for."""

_NUMBER = re.compile(r"\d+")
_ADDRESS = re.compile(r"( object)? at 0x[0-9a-f]+")
_CONVERSIONS: dict[str, Callable[[Any], Any]] = {"": lambda value: value, "r": repr, "s": str, "a": ascii}


def masked(text: str) -> str:
    """`text` without the addresses of objects, which differ from run to run."""
    return _ADDRESS.sub("", text) if " at 0x" in text else text


def joined(compiler: "Compiler", node: nodes.Joined) -> Get:
    """The parts of an f-string, one after the other."""
    gets, state = compiler.all(node.parts), compiler.state

    def join(frame: Frame) -> Any:
        made = "".join([plain(get(frame)) for get in gets])
        if len(made) > LONGEST:
            raise _placed(too_long(len(made)), state.text, node)
        return state.constant(node, made)

    return join


def formatted(compiler: "Compiler", node: nodes.Formatted) -> Get:
    """One value, converted and formatted."""
    get, state = compiler.compile(node.value), compiler.state
    form = None if node.form is None else compiler.compile(node.form)
    convert = _CONVERSIONS[node.conversion]

    def text(frame: Frame) -> Any:
        argument = get(frame)
        spec = "" if form is None else plain(form(frame))
        try:
            check_width(spec)
            return masked(format(convert(plain(argument)), spec))
        except Exception as error:
            state.failed(error, node.value, None, (argument,), (node.value,))
            raise

    return text


def check_width(spec: str) -> None:
    """Nothing, or LimitError AGX606 for a width or a precision of more than WIDEST."""
    if any(len(digits) > 4 or int(digits) > WIDEST for digits in _NUMBER.findall(spec)):
        raise LimitError(
            "AGX606",
            f"The format `{spec[:20]}` asks for more than {WIDEST:,} characters.",
            hint="Write a smaller width or precision.",
        )


def _placed(error: LimitError, text: str, node: nodes.Expr) -> LimitError:
    error.text, error.span = text, node.span
    return error
