"""The Typer application: its commands, its version, and how it ends."""

import platform
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial
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
        extra.pop("prog_name", None)
        environment = extra.pop("obj", None) or of_process()
        work = partial(super().main, args, "agx", standalone_mode=False, obj=environment, **extra)
        status = settled(environment, work)
        environment.flush()
        if standalone_mode:
            sys.exit(int(status))
        return status

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option in front of the command by name, with the order that works."""
        args = args or ["--help"]
        first = args[0]
        if first.startswith("-") and first.partition("=")[0] not in _OWN and not ctx.resilient_parsing:
            raise _refused(args, "is no option of agx; a command comes first")
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """The examples, as they are typed."""
        write_examples(self.epilog or "", formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names."""
        if args[0] not in self.commands and not ctx.resilient_parsing:
            near = get_close_matches(args[0], self.commands, 1)
            raise _refused(args, "is no command of agx", near[0] if near else "")
        return super().resolve_command(ctx, args)


def _refused(args: Sequence[str], why: str, near: str = "") -> InputError:
    fix = bindings.shell(["agx", near, *args[1:]] if near else ["agx", "trace", *args])
    typed = bindings.shell(["agx", *args])
    end = len(bindings.shell(["agx", args[0]]))
    hint = f"Did you mean `{near}`?" if near else "`agx --help` lists the commands."
    return InputError("AGX205", f"`{args[0]}` {why}.", text=typed, span=Span(4, end), hint=hint, fix=fix)


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
