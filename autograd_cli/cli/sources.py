"""SOURCE and other texts from where they are: the line itself, standard input, a file."""

import re
from pathlib import Path

from autograd_cli.cli.command import Given
from autograd_cli.errors import InputError, LimitError, missing_file
from autograd_cli.lang.source import Source

_PATH = re.compile(r"[^\s()\[\]{}*+=,;'\"]+\.py")

_BYTES_AN_ITEM = 64
"""More than the text of one number takes, with its comma and space."""


def read(given: Given) -> Source:
    """The SOURCE of a line: `-` is standard input, a name ending in .py a file.

    Raises InputError AGX207 for bytes that are no UTF-8, MissingError AGX206 for a file
    that is not there, LimitError AGX108 for more than --max-text.
    """
    word = given.one("SOURCE", f'agx {given.line.command} "sin(x**2)" --x 2')
    most = given.options.get("max_text", 64 << 10)
    if word == "-":
        return Source(decoded(given.environment.read_bytes(most + 1), most, "standard input"), "-")
    if word.endswith(".py") and (_PATH.fullmatch(word) or Path(word).is_file()):
        return Source(decoded(_file(word, most + 1), most, word), word)
    return Source(_from_line(word))


def standard_input(given: Given) -> str | None:
    """What `@-` stands for, read whole, or None where no value is `@-`.

    Raises InputError AGX211 when standard input is asked for twice.
    """
    values = [*given.line.bindings, ("grad-output", given.options.get("grad_output", ""))]
    takers = [f"--{name} @-" for name, text in values if text == "@-"]
    if given.line.source == "-":
        takers.insert(0, "SOURCE -")
    if len(takers) > 1:
        raise InputError(
            "AGX211",
            f"Standard input can be read once, and {' and '.join(f'`{taker}`' for taker in takers)} read it.",
            hint="Put one of them into a file: --x @data.json.",
        )
    if not takers or takers[0] == "SOURCE -":
        return None
    most = given.options.get("max_items", 1_000_000) * _BYTES_AN_ITEM
    return decoded(given.environment.read_bytes(most + 1), most, "standard input")


def decoded(content: bytes, most: int, name: str) -> str:
    """`content` as text, without a byte order mark."""
    if len(content) > most:
        raise LimitError(
            "AGX108",
            f"`{name}` holds more than {most} bytes.",
            hint="Make it shorter, or raise the limit with --max-text.",
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "AGX207",
            f"`{name}` is no UTF-8 text: byte 0x{content[error.start]:02x} at offset {error.start}.",
            hint="Save it as UTF-8.",
        ) from None


def _from_line(word: str) -> str:
    """A word of the command line, unless it holds bytes that are no text."""
    try:
        word.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            "AGX207",
            f"SOURCE is no UTF-8 text: character {error.start} is half of one.",
            hint="Save it as UTF-8.",
        ) from None
    return word


def _file(name: str, most: int) -> bytes:
    try:
        with Path(name).open("rb") as stream:
            return stream.read(most)
    except OSError as error:
        raise missing_file(name, error) from None
