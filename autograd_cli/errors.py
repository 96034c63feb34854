"""The errors a person can meet, and the exit statuses of the command.

Every refusal in the package is an `AgxError`: a code that `agx explain` knows, one
sentence that says what was found and why it cannot be, the place in the text, and
what to write instead. The command line turns it into lines on stderr and a status.
"""

from enum import IntEnum, unique
from typing import NamedTuple


@unique
class ExitStatus(IntEnum):
    """What the process ends with; 130 is 128 + SIGINT, as shells have it."""

    OK = 0
    FAILED = 1
    USAGE = 2
    MISSING = 3
    LIMIT = 4
    INTERRUPTED = 130


class Span(NamedTuple):
    """A stretch of a source: characters `start` up to, not including, `end`."""

    start: int
    end: int


class AgxError(Exception):
    """A refusal with a code, a sentence, a place and what to write instead.

    `text` is the text that `span` counts in: the source, a binding's value or a
    command line. `hint` is a sentence, `fix` something that can be pasted. `also` are the
    refusals of other statements of the same text, in its order.
    """

    status = ExitStatus.USAGE

    def __init__(
        self,
        code: str,
        sentence: str,
        *,
        text: str = "",
        span: Span | None = None,
        hint: str = "",
        fix: str = "",
    ) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.text = text
        self.span = span
        self.hint = hint
        self.fix = fix
        self.also: tuple[AgxError, ...] = ()


class LanguageError(AgxError):
    """A source that is not in the language (AGX1xx)."""


class InputError(AgxError):
    """A binding, an option or a file that cannot be understood (AGX2xx)."""


class MissingError(AgxError):
    """Something is not here: a file, a device, Graphviz, a permission."""

    status = ExitStatus.MISSING


class LimitError(AgxError):
    """A limit was reached: size of a text, time, memory."""

    status = ExitStatus.LIMIT


def first_line(error: BaseException) -> str:
    """The first line of what an error says; the name of its type where it says nothing."""
    lines = str(error).strip().splitlines()
    return lines[0].strip() if lines else type(error).__name__


def is_out_of_memory(error: BaseException) -> bool:
    """Whether the system gave no more memory, be it Python or torch that says so."""
    return isinstance(error, MemoryError) or "can't allocate memory" in str(error)


def missing_file(name: str, error: OSError) -> MissingError:
    """AGX206: the refusal of a file that the system does not open."""
    why = error.strerror or first_line(error)
    return MissingError("AGX206", f"The file `{name}` cannot be read: {why}.", hint="Check the name.")
