"""Errors as lines on stderr: what was found, where, why not, what to write instead."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from autograd_cli.cli.environment import Environment
from autograd_cli.errors import AgxError, ExitStatus, LimitError, is_out_of_memory
from autograd_cli.lang.source import Source, quote, visible

if TYPE_CHECKING:
    from autograd_cli.report import Finding

Styled = tuple[str, str]
"""A line and its style: "error", "carets", "fix" or ""."""


_LONG_WORD = re.compile(r"(?<=`)[^`]{80,}(?=`)|[^\s`]{120,}")
_MOST_OTHERS = 20
"""Refusals beside the first that are told, each in one line."""
_LONGEST_FIX = 2_000
"""Characters of a command to paste; a longer one is not shown."""


def status_of(environment: Environment, work: Callable[[], int | None]) -> int:
    """The status that `work` ends with; what it raises is told on stderr, never as a traceback."""
    try:
        return work() or ExitStatus.OK
    except AgxError as error:
        environment.on_findings(_found(error))
        tell(environment, lines(error, _width(environment)))
        return error.status
    except SystemExit as leaving:
        return ExitStatus(int(leaving.code or ExitStatus.OK))
    except BrokenPipeError:
        return ExitStatus.OK
    except OSError as error:
        tell(environment, [(f"error: {_of_system(error)}", "error")])
        return ExitStatus.MISSING
    except Exception as error:
        if is_out_of_memory(error):
            return status_of(environment, lambda: _raise(out_of_memory()))
        return unexpected(environment, error)


def _raise(error: Exception) -> NoReturn:
    raise error


def out_of_memory() -> LimitError:
    """The refusal of a run that the system gave no more memory."""
    return LimitError(
        "AGX604",
        "The run needs more memory than the limit allows.",
        hint="Make the tensors smaller, or raise the limit with --max-memory.",
    )


def lines(error: AgxError, width: int) -> list[Styled]:
    """What is said of a refusal, line by line."""
    told: list[Styled] = [(" ".join(filter(None, ("error", _name(error.code), f"({error.code})"))), "error")]
    if error.text and error.span is not None:
        told += _quoted(error, width)
    told.append((f"  {visible(_shortened(error.sentence))}", ""))
    if error.hint:
        told.append((f"  {visible(_shortened(error.hint))}", ""))
    if 0 < len(error.fix) <= _LONGEST_FIX:
        first, *rest = error.fix.splitlines() or [""]
        told.append((f"  write: {visible(first)}", "fix"))
        told += [(f"         {visible(line)}", "fix") for line in rest]
    told.append((f"  agx explain {error.code}", ""))
    told += [(f"  {_in_one_line(other)}", "") for other in error.also[:_MOST_OTHERS]]
    if len(error.also) > _MOST_OTHERS:
        told.append((f"  and {len(error.also) - _MOST_OTHERS} more", ""))
    return told


def _in_one_line(error: AgxError) -> str:
    """Another refusal of the same text."""
    where = "" if error.span is None else f"line {Source(error.text).line_of(error.span.start)}: "
    return visible(f"also {where}{_shortened(error.sentence)} {_shortened(error.hint)}".rstrip())


def tell(environment: Environment, told: Sequence[Styled]) -> None:
    """Write the lines on stderr, in colours where stderr takes them."""
    if not environment.coloured(environment.stderr):
        environment.say("\n".join(text for text, _ in told))
        return
    from rich.console import Console
    from rich.text import Text

    styles = {"error": "bold red", "carets": "red", "fix": "green", "": ""}
    console = Console(file=environment.stderr, force_terminal=True, width=environment.width, highlight=False)
    for text, style in told:
        console.print(Text(text, styles[style]), soft_wrap=True)


def _shortened(sentence: str) -> str:
    """The sentence with the middle of long names cut out: what is quoted, or has no space in it."""
    return _LONG_WORD.sub(lambda match: f"{match[0][:40]}…{match[0][-10:]}", sentence)


def _quoted(error: AgxError, width: int) -> list[Styled]:
    """The line of the text that the error is about, and carets below it."""
    assert error.span is not None
    shown = quote(error.text, error.span, width - 8)
    number = Source(error.text).line_of(error.span.start)
    margin = f"{number:4} │ " if "\n" in error.text.strip() else "   │ "
    blank = " " * (len(margin) - 2) + "│ "
    return [(margin + shown.line, ""), (blank + shown.carets, "carets")]


def _found(error: AgxError) -> "list[Finding]":
    """A refusal as a record, where there is a page on it."""
    from autograd_cli.catalogue import finding

    return [finding(error, Source(error.text))] if _name(error.code) else []


def _name(code: str) -> str:
    """The label of a code, from its page."""
    from autograd_cli.catalogue import page

    try:
        return page(code).name
    except KeyError:
        return ""


def _width(environment: Environment) -> int:
    return max(environment.width, 40)


def _of_system(error: OSError) -> str:
    place = f"{visible(_shortened(str(error.filename)))}: " if error.filename else ""
    return f"{place}{error.strerror or error}"


def unexpected(environment: Environment, error: Exception) -> ExitStatus:
    """One line for what agx itself got wrong, or for what Typer refuses; never a traceback."""
    message = getattr(error, "format_message", None)
    if message is not None:
        tell(environment, [(f"error: {visible(message())}", "error"), ("  agx --help", "")])
        return ExitStatus.USAGE
    found = fault(error)
    tell(environment, [(f"error: {found.sentence.removesuffix('.')}", "error"), (f"  {found.hint}", "")])
    return found.status


def fault(error: Exception) -> AgxError:
    """AGX609: what agx itself got wrong, and where, with its status."""
    from autograd_cli import catalogue  # few runs need it

    found = catalogue.fault(error)
    found.status = ExitStatus.FAILED
    return found
