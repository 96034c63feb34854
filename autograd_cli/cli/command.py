"""What every command has in common: its line is read once, its options come from the table.

Nothing here knows Typer, which shows help and completes but takes as long to load as
everything else below `cli` together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autograd_cli.cli import bindings, options
from autograd_cli.cli.environment import Environment
from autograd_cli.errors import InputError
from autograd_cli.report.values import is_number


@dataclass(frozen=True)
class Given:
    """What a command is given: its surroundings, its line, the values of its options."""

    environment: Environment
    line: bindings.Line
    options: dict[str, Any]

    def one(self, what: str, example: str) -> str:
        """The one positional word; InputError where there is none, or more than one."""
        if len(self.line.sources) > 1:
            raise _second(self.line, what)
        if self.line.source is None:
            raise _none(self.line, what, example)
        return self.line.source

    def no_word(self) -> None:
        """Nothing; InputError AGX215 where there is a positional word."""
        if self.line.sources:
            raise _extra(self.line, self.line.sources[0], f"a word, and `agx {self.line.command}` takes none")


Body = Callable[[Given], int]


def never(word: str) -> bool:
    """False: no word of the command takes those after it."""
    return False


@dataclass(frozen=True)
class Words:
    """The positional words of a command: what they are called, their help, whether it does without."""

    metavar: str
    help: str
    optional: bool = False

    @property
    def usage(self) -> str:
        """How a line of usage shows them: in brackets where they may be left out."""
        return f"[{self.metavar}]" if self.optional else self.metavar


@dataclass(frozen=True)
class Command:
    """A command: what it does, its examples, its words; the docstring of `body` is its help.

    `takes_all` says of the first word whether those after it that are no options belong to it, as the
    arguments of a script do.
    """

    name: str
    body: Body
    examples: str
    words: Words | None = None
    takes_all: Callable[[str], bool] = never

    @property
    def takes_bindings(self) -> bool:
        """Whether `--x 2` binds a name here, or is an option that nobody knows."""
        return self.name in options.RUNS

    def run(self, words: Sequence[str], environment: Environment) -> int:
        """Read the line that `words` make and do what it says."""
        line = bindings.read(self.name, words, options.of(self.name), self.takes_bindings, self.takes_all)
        values = options.values(self.name, line.given)
        environment.quiet = bool(values.pop("quiet", False))
        environment.verbose = bool(values.pop("verbose", False))
        environment.colour = values.pop("color", "auto")
        return self.body(Given(environment, line, values))


def _second(line: bindings.Line, what: str) -> InputError:
    """The refusal of a second word, with what was most likely meant."""
    second = line.sources[1]
    short = next((o for o in options.of(line.command) if o.short and second.startswith(o.short)), None)
    joined = " ".join(line.sources)
    hint = "An expression with spaces needs quotes, so that the shell hands it on as one word."
    if short is not None and len(second) > 2:
        hint = f"A short option takes its value as the next word: {short.short} {second[2:].lstrip('=')}"
    fix = f"agx {line.command} {bindings.shell([joined])}" if short is None else ""
    return _extra(line, second, f"a second {what}; one is expected", hint, fix)


def _extra(line: bindings.Line, word: str, is_what: str, hint: str = "", fix: str = "") -> InputError:
    """AGX215: the refusal of a positional word that the command does not take."""
    text, span = bindings.place(line, len(line.words) - 1 - line.words[::-1].index(word))
    return InputError("AGX215", f"`{word}` is {is_what}.", text=text, span=span, hint=hint, fix=fix)


def _none(line: bindings.Line, what: str, example: str) -> InputError:
    swallowed = line.bindings[-1] if line.bindings else None
    hint = f"`agx {line.command} --help` shows more examples."
    if swallowed is not None and not is_number(swallowed[1]):
        hint = f"`{swallowed[1]}` is taken as the value of `--{swallowed[0]}`."
    return InputError("AGX214", f"There is no {what}.", hint=hint, fix=example)
