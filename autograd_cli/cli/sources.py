"""SOURCE and other texts from where they are: the line itself, standard input, a file."""

import errno
import re
import stat
from pathlib import Path
from typing import NamedTuple

from autograd_cli.cli.command import Given
from autograd_cli.errors import InputError, LimitError, missing_file
from autograd_cli.lang.parse import TextLimits
from autograd_cli.lang.source import Source, named
from autograd_cli.run.settings import Settings

_PATH = re.compile(r"[^\s()\[\]{}*+=,;'\"]+\.py")

STANDARD_INPUT = "standard input"

BYTES_AN_ITEM = 64
"""More than the text of one number takes, with its comma and space."""


class Bound(NamedTuple):
    """The most bytes of a text, the code of the refusal of more, and the option that allows more."""

    most: int
    code: str
    option: str = ""


def read(given: Given) -> Source:
    """The SOURCE of a line: `-` is standard input, a name ending in .py a file.

    Raises InputError AGX207 for bytes that are no UTF-8, MissingError AGX206 for a file
    that is not there, LimitError AGX108 for more than --max-text.
    """
    word = given.one("SOURCE", f'agx {given.line.command} "sin(x**2)" --x 2')
    bound = Bound(given.options.get("max_text", TextLimits.max_text), "AGX108", "--max-text")
    if word == "-":
        return Source(decoded(given.environment.read_bytes(bound.most + 1), STANDARD_INPUT, bound), "-")
    if is_path(word):
        return Source(decoded(start_of(word, bound.most + 1), word, bound), word)
    refuse_half_characters(word, "SOURCE")
    return Source(word)


def is_path(word: str) -> bool:
    """Whether a SOURCE names a file: one of Python's, there or not, or whatever is there from the root on."""
    if word.endswith(".py"):
        return bool(_PATH.fullmatch(word)) or _is_there(word)
    return word.startswith("/") and _is_there(word)


def _is_there(word: str) -> bool:
    try:
        return Path(word).exists()
    except (OSError, ValueError):  # too long for a name, or with a null byte in it
        return False


def standard_input(given: Given) -> str | None:
    """What `@-` stands for, read whole, or None where no value is `@-`.

    Raises InputError AGX211 when standard input is asked for twice.
    """
    values = [*given.line.bindings, ("grad-output", given.options.get("grad_output", ""))]
    takers = [f"--{name} @-" for name, text in values if text == "@-"]
    whole = ["SOURCE -"] if given.line.source == "-" else []
    whole += ["--lines -"] if given.options.get("lines") == "-" else []
    takers = [*whole, *takers]
    if len(takers) > 1:
        raise InputError(
            "AGX211",
            f"Standard input can be read once, and {named(takers)} read it.",
            hint="Put one of them into a file: --x @data.json.",
        )
    if not takers or whole:
        return None
    items: int = given.options.get("max_items", Settings.max_items)
    bound = Bound(items * BYTES_AN_ITEM, "AGX606", "--max-items")
    return decoded(given.environment.read_bytes(bound.most + 1), STANDARD_INPUT, bound)


def decoded(content: bytes, name: str, bound: Bound) -> str:
    """`content` as text, without a byte order mark."""
    if len(content) > bound.most:
        raise LimitError(
            bound.code,
            f"`{name}` holds more than {bound.most:,} bytes.",
            hint=f"Make it shorter, or raise the limit with {bound.option}." if bound.option else "",
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "AGX207",
            f"`{name}` is no UTF-8 text: byte 0x{content[error.start]:02x} at offset {error.start}.",
            hint="Save it as UTF-8.",
        ) from None


def refuse_half_characters(text: str, what: str) -> None:
    """Nothing, or InputError AGX207 where `text` holds bytes that are no text."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            "AGX207",
            f"{what} is no UTF-8 text: character {error.start} is half of one.",
            hint="Save it as UTF-8.",
        ) from None


def start_of(name: str, most: int) -> bytes:
    """At most `most` bytes of a file; MissingError AGX206 where it cannot be read."""
    try:
        if not stat.S_ISREG(Path(name).stat().st_mode) and not Path(name).is_dir():
            raise OSError(errno.EINVAL, "it is no regular file")
        with Path(name).open("rb") as stream:
            return stream.read(most)
    except OSError as error:
        raise missing_file(name, error) from None
