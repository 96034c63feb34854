"""What surrounds a command: its streams, whether a person watches, width and colour."""

import codecs
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

if TYPE_CHECKING:
    from autograd_cli.report import Finding

_PLAIN_SPELLING = str.maketrans(
    {
        **dict.fromkeys("─━═╌┄", "-"),
        **dict.fromkeys("│┃║╎┆", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰╴╵╶╷┏┓┗┛┡┩╇", "+"),
        **dict.fromkeys("·•", "*"),
        **dict.fromkeys("–—−", "-"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("‘’", "'"),
        "×": "x",
        "±": "+-",
        "…": "...",
        "→": "->",
        "←": "<-",
        "»": ">",
        "²": "2",
    }
)
_UNENCODABLE = "autograd_cli.plain_spelling"


def at_once(work: Callable[[], None]) -> None:
    """Do `work` here, which is the main thread, or as good as that."""
    work()


def forget(findings: "Sequence[Finding]") -> None:
    """Do nothing with findings: what is told of them is enough."""


@dataclass
class Environment:
    """The streams of one command and what is known of them.

    `width` is the terminal's, in cells. `colour` is "auto" until an option says
    otherwise; `coloured` answers for one stream. `may_fork` says that the whole process
    is the command's, so that a run may have one of its own. `in_main` does something in
    the main thread, which alone is told of signals. `reader_gone` is set once nobody reads
    stdout any more. `on_findings` is given the findings that are told of, in whatever form.
    """

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    variables: Mapping[str, str] = field(default_factory=dict)
    colour: str = "auto"
    quiet: bool = False
    verbose: bool = False
    may_fork: bool = False
    in_main: Callable[[Callable[[], None]], None] = at_once
    reader_gone: bool = False
    on_findings: "Callable[[Sequence[Finding]], None]" = forget

    @property
    def on_terminal(self) -> bool:
        """Whether a person reads stdout."""
        return _is_terminal(self.stdout)

    @property
    def width(self) -> int:
        """Columns of the terminal; COLUMNS wins, 80 where nothing is known."""
        given = self.variables.get("COLUMNS", "")
        if given.isdecimal() and int(given) > 0:
            return int(given)
        return shutil.get_terminal_size((80, 24)).columns if self.on_terminal else 80

    def coloured(self, stream: TextIO) -> bool:
        """Whether `stream` gets colours: as --color says, else only a terminal that wants them."""
        if self.colour != "auto":
            return self.colour == "always"
        if self.variables.get("NO_COLOR") or self.variables.get("TERM") == "dumb":
            return False
        return bool(self.variables.get("FORCE_COLOR")) or _is_terminal(stream)

    def read_bytes(self, most: int) -> bytes:
        """What standard input holds, at most `most` bytes of it."""
        binary: BinaryIO = self.stdin.buffer
        return binary.read(most)

    def say(self, text: str) -> None:
        """Write a line of talk on stderr."""
        _write(self.stderr, text + "\n")

    def put(self, text: str) -> None:
        """Write `text`, for a person, on stdout in the stream's own encoding."""
        self.reader_gone |= not _write(self.stdout, text)

    def put_data(self, text: str) -> None:
        """Write `text`, for a program, on stdout as UTF-8 whatever the locale is."""
        self.put_bytes(text.encode("utf-8", "backslashreplace"))

    def put_bytes(self, content: bytes) -> None:
        """Write `content` on stdout as it is, at once."""
        self.stdout.flush()
        try:
            self.stdout.buffer.write(content)
            self.stdout.buffer.flush()
        except BrokenPipeError:
            self.reader_gone = True
            _silence(self.stdout)

    def flush(self) -> None:
        """Send on what is still held back; a reader that has gone is no error."""
        for stream in (self.stdout, self.stderr):
            try:
                stream.flush()
            except (BrokenPipeError, ValueError):
                _silence(stream)


def of_process() -> Environment:
    """The environment of this process; from here on its streams take any character."""
    codecs.register_error(_UNENCODABLE, _spell_plainly)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller: agx … >&-
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - for good
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_UNENCODABLE)
    return Environment(sys.stdin, sys.stdout, sys.stderr, os.environ)


def _is_terminal(stream: TextIO) -> bool:
    return not stream.closed and stream.isatty()


def _write(stream: TextIO, text: str) -> bool:
    """Write `text` at once; False where nobody reads it."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
        return False
    return True


def _silence(stream: TextIO) -> None:
    """Point a stream whose reader has gone at nothing, so that later writes do no harm."""
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
    except (OSError, ValueError):
        return


def _spell_plainly(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that the stream's encoding lacks: ASCII, else an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    spelled: Any = text.translate(_PLAIN_SPELLING).encode("ascii", "backslashreplace")
    return spelled.decode("ascii"), error.end
