"""The Typer application: its commands, its version, and how it ends."""

import platform
import sys
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from autograd_cli import __version__
from autograd_cli.cli import bindings, devices, explain, gradcheck, show, trace
from autograd_cli.cli.command import write_examples
from autograd_cli.cli.environment import Environment, of_process
from autograd_cli.cli.options import HELP
from autograd_cli.cli.telling import settled
from autograd_cli.errors import ExitStatus, InputError, Span

_EXAMPLES = """\
agx trace "sin(x**2)" --x 2
agx trace "(X@w).sum()" --X "randn(10,3)" --w "randn(3,1)" --wrt w
agx gradcheck "exp(x)*y" --x 1 --y 3
agx explain broadcast
echo "x*y+sin(x)" | agx trace - --x 2 --y 3 --json"""

_OWN = ("--version", "--install-completion", "--show-completion", *HELP.spellings)


class Agx(TyperGroup):
    """The group of commands; whatever happens in it ends in a status, not in a traceback."""

    def main(self, args: Any = None, *_: Any, standalone_mode: bool = True, **extra: Any) -> Any:
        """Run a command line. Ends the process when `standalone_mode`, else gives the status."""
        words = list(sys.argv[1:] if args is None else args)
        environment = extra.get("obj") or of_process()
        status = settled(environment, lambda: self.dispatched(words, environment))
        environment.flush()
        if standalone_mode:
            sys.exit(int(status))
        return status

    def dispatched(self, words: list[str], environment: Environment) -> Any:
        """What the command that the first word names gives, or what Typer does with an option.

        Typer's own way to a command would convert the options in front of it, and import
        pydantic for that.
        """
        settings: dict[str, Any] = {"standalone_mode": False, "obj": environment}
        if not words or words[0].partition("=")[0] in _OWN:
            return super().main(words or ["--help"], "agx", **settings)
        command = self.commands.get(words[0])
        if command is None:
            raise _unknown(words, self.commands)
        return command.main(words[1:], f"agx {words[0]}", **settings)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The examples, as they are typed."""
        write_examples(self.epilog or "", formatter)


def _unknown(words: Sequence[str], commands: Collection[str]) -> InputError:
    """The refusal of a first word that is no command, with a line that works."""
    first = words[0]
    option = first.startswith("-")
    near = [] if option else get_close_matches(first, commands, 1)
    return InputError(
        "AGX205",
        f"`{first}` is no {'option of agx; a command comes first' if option else 'command of agx'}.",
        text=bindings.shell(["agx", *words]),
        span=Span(4, len(bindings.shell(["agx", first]))),
        hint=f"Did you mean `{near[0]}`?" if near else "`agx --help` lists the commands.",
        fix=bindings.shell(["agx", *(near or ["trace", first]), *words[1:]]),
    )


app = typer.Typer(
    name="agx",
    cls=Agx,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog=_EXAMPLES,
    context_settings={"help_option_names": list(HELP.spellings), "max_content_width": 100},
)


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


for command in (trace, gradcheck, devices, explain, show):
    command.register(app)


def run(argv: Sequence[str], environment: Environment) -> ExitStatus:
    """The status of one command line in `environment`; ends no process."""
    group = typer.main.get_command(app)
    return ExitStatus(group.main(args=list(argv), standalone_mode=False, obj=environment))
