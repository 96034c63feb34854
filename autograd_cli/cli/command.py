"""What every command has in common: its line is read once, its options come from the table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand

from autograd_cli.cli import bindings, options
from autograd_cli.cli.environment import Environment, of_process
from autograd_cli.errors import ExitStatus, InputError

_LINE = "autograd_cli.line"


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


Body = Callable[[Given], ExitStatus]


@dataclass(frozen=True)
class Words:
    """The positional words of a command: what they are called, and their help."""

    metavar: str
    help: str


class TableCommand(TyperCommand):
    """A Typer command whose words are told apart by `bindings.read` first."""

    takes_bindings = False
    words: "Words | None" = None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the line. Typer sees it only to complete it or to show help: to convert the
        values of options it would import more than the rest of a start takes.
        """
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        known = options.of(self.name or "")
        line = bindings.read(self.name or "", args, known, self.takes_bindings)
        if line.help:
            return super().parse_args(ctx, ["--help"])
        ctx.meta[_LINE] = line
        return []

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The options, by panel, straight from the table."""
        known = options.of(self.name or "")
        if self.words is not None:
            with formatter.section("Arguments"):
                formatter.write_dl([(self.words.metavar, self.words.help)])
        for panel in dict.fromkeys(option.panel for option in known):
            with formatter.section(panel):
                formatter.write_dl([(o.label, o.help) for o in known if o.panel == panel])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The examples, as they are typed."""
        write_examples(self.epilog or "", formatter)


def write_examples(examples: str, formatter: Any) -> None:
    """Commands under a heading, one a line and never wrapped: they are there to be pasted."""
    with formatter.section("Examples"):
        for line in examples.splitlines():
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


class BindingsCommand(TableCommand):
    """A command that takes bindings among its options."""

    takes_bindings = True


def register(app: typer.Typer, name: str, body: Body, examples: str, words: Words | None = None) -> None:
    """Make `body` a command of `app`: help from its docstring, options from the table."""

    def callback(ctx: typer.Context, **_: Any) -> ExitStatus:
        environment = ctx.obj if isinstance(ctx.obj, Environment) else of_process()
        line = ctx.meta[_LINE]
        values = options.values(name, line.given)
        environment.quiet = bool(values.pop("quiet", False))
        environment.verbose = bool(values.pop("verbose", False))
        environment.colour = values.pop("color", "auto")
        return body(Given(environment, line, values))

    bind = name in options.RUNS
    metavar = words.metavar if words else None
    callback.__signature__ = options.signature(name, metavar)  # type: ignore[attr-defined]
    callback.__annotations__ = {}
    app.command(
        name,
        cls=type("Command", (BindingsCommand if bind else TableCommand,), {"words": words}),
        help=body.__doc__,
        epilog=examples,
        options_metavar="[OPTIONS] [--NAME VALUE]…" if bind else "[OPTIONS]",
        context_settings={"help_option_names": list(options.HELP.spellings), "max_content_width": 100},
    )(callback)


def _second(line: bindings.Line, what: str) -> InputError:
    second = line.sources[1]
    index = len(line.words) - 1 - line.words[::-1].index(second)
    text, span = bindings.place(line, index)
    short = next((o for o in options.of(line.command) if o.short and second.startswith(o.short)), None)
    joined = " ".join(line.sources)
    hint = "An expression with spaces needs quotes, so that the shell hands it on as one word."
    if short is not None and len(second) > 2:
        hint = f"A short option takes its value as the next word: {short.short} {second[2:].lstrip('=')}"
    return InputError(
        "AGX215",
        f"`{second}` is a second {what}; one is expected.",
        text=text,
        span=span,
        hint=hint,
        fix=f"agx {line.command} {bindings.shell([joined])}" if short is None else "",
    )


def _none(line: bindings.Line, what: str, example: str) -> InputError:
    swallowed = line.bindings[-1] if line.bindings else None
    hint = f"`agx {line.command} --help` shows more examples."
    if swallowed is not None and not _is_number(swallowed[1]):
        hint = f"`{swallowed[1]}` is taken as the value of `--{swallowed[0]}`."
    return InputError("AGX214", f"There is no {what}.", hint=hint, fix=example)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
