"""The Typer application: help, version and completion, all from the commands and the table.

It converts no value and runs no command: `dispatch` does, without loading Typer.
"""

import platform
import sys
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from autograd_cli import __version__
from autograd_cli.cli import dispatch, options
from autograd_cli.cli.command import Command
from autograd_cli.cli.environment import of_process
from autograd_cli.cli.options import HELP, Option

_EXAMPLES = """\
agx trace "sin(x**2)" --x 2
agx trace "(X@w).sum()" --X "randn(10,3)" --w "randn(3,1)" --wrt w
agx gradcheck "exp(x)*y" --x 1 --y 3
agx explain broadcast
echo "x*y+sin(x)" | agx trace - --x 2 --y 3 --json"""

_SETTINGS = {"help_option_names": list(HELP.spellings), "max_content_width": 100}


class Agx(TyperGroup):
    """The group of commands; running a line is left to `dispatch`."""

    def main(self, args: Any = None, *_: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command line. Ends the process when `standalone_mode`, else gives the status."""
        status = dispatch.run(sys.argv[1:] if args is None else args, extra.get("obj") or of_process())
        if standalone_mode:
            sys.exit(int(status))
        return status

    def typed(self, words: list[str]) -> int | None:
        """What Typer makes of `words`."""
        status: int | None = super().main(words, "agx", standalone_mode=False)
        return status

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Each command with the first line of its help, whole."""
        with formatter.section("Commands"):
            rows = [(c.name, (c.body.__doc__ or "").partition("\n")[0]) for c in dispatch.COMMANDS.values()]
            formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The examples, as they are typed."""
        _write_examples(self.epilog or "", formatter)


class TableCommand(TyperCommand):
    """A command whose help is laid out from the table of options."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What stands in the line of usage after the command's name."""
        words = dispatch.COMMANDS[self.name or ""].words
        return [self.options_metavar or "", *([words.usage] if words else [])]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The words, then the options by panel."""
        name = self.name or ""
        known, words = options.of(name), dispatch.COMMANDS[name].words
        if words is not None:
            with formatter.section("Arguments"):
                formatter.write_dl([(words.metavar, words.help)])
        for panel in options.PANELS:
            rows = [(o.label, o.help) for o in known if o.panel == panel]
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The examples, as they are typed."""
        _write_examples(self.epilog or "", formatter)


def _write_examples(examples: str, formatter: Any) -> None:
    """Commands under a heading, one a line and never wrapped: they are there to be pasted."""
    with formatter.section("Examples"):
        for line in examples.splitlines():
            formatter.write(f"{'':>{formatter.current_indent}}{line}\n")


app = typer.Typer(
    name="agx",
    cls=Agx,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog=_EXAMPLES,
    context_settings=_SETTINGS,
)


def typed(name: str, words: list[str]) -> int | None:
    """What Typer makes of `words`, of the command `name`, or of agx itself where that is empty."""
    group = typer.main.get_command(app)
    assert isinstance(group, Agx)
    if not name:
        return group.typed(words)
    status: int | None = group.commands[name].main(words, f"agx {name}", standalone_mode=False)
    return status


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import PackageNotFoundError, version

        try:
            torch = version("torch")
        except PackageNotFoundError:
            torch = "not installed"
        typer.echo(f"agx {__version__} (torch {torch}, python {platform.python_version()})")
        raise typer.Exit


@app.callback()
def agx(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the versions and exit")
    ] = False,
) -> None:
    """See PyTorch's autograd at work: the graph, the gradients, what is wrong."""


def _register(command: Command) -> None:
    """Let Typer know a command: its name, its help and its options."""

    def callback(**_: Any) -> None:
        """Nothing: `dispatch` runs commands."""

    callback.__signature__ = _signature(command)  # type: ignore[attr-defined]
    callback.__annotations__ = {}
    app.command(
        command.name,
        cls=TableCommand,
        help=command.body.__doc__,
        epilog=command.examples,
        options_metavar="[OPTIONS] [--NAME VALUE]…" if command.takes_bindings else "[OPTIONS]",
        context_settings=_SETTINGS,
    )(callback)


def _signature(command: Command) -> Signature:
    """The parameters of a command as Typer reads them."""
    parameters = [_parameter(option) for option in options.of(command.name) if option is not HELP]
    if command.words is not None:
        argument = typer.Argument(metavar=command.words.metavar, show_default=False)
        kind = Annotated[str | None, argument]
        parameters.insert(0, Parameter("words", Parameter.KEYWORD_ONLY, default=None, annotation=kind))
    return Signature(parameters)


def _parameter(option: Option) -> Parameter:
    kind: Any = (list[str] | None if option.repeated else str | None) if option.metavar else bool
    info = typer.Option(
        *reversed(option.spellings), metavar=option.metavar, help=option.help, show_default=False
    )
    default = None if option.metavar else False
    return Parameter(option.key, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info])


for _command in dispatch.COMMANDS.values():
    _register(_command)
