"""From the first word to its command; whatever happens on the way ends in a status."""

from collections.abc import Sequence
from difflib import get_close_matches

from autograd_cli.cli import bindings, devices, diagnose, explain, gradcheck, ops, show, trace
from autograd_cli.cli.command import Command
from autograd_cli.cli.environment import Environment
from autograd_cli.cli.options import HELP
from autograd_cli.cli.telling import status_of
from autograd_cli.errors import InputError, Span

COMMANDS: dict[str, Command] = {
    module.COMMAND.name: module.COMMAND
    for module in (trace, gradcheck, diagnose, devices, explain, show, ops)
}
"""Every command by its name, in the order in which --help lists them."""

_OWN = ("--version", "--install-completion", "--show-completion", *HELP.spellings)


def run(argv: Sequence[str], environment: Environment) -> int:
    """The status of one command line in `environment`; ends no process."""
    status = status_of(environment, lambda: _dispatched(list(argv), environment))
    environment.flush()
    return status


def _dispatched(words: list[str], environment: Environment) -> int | None:
    """What the command gives that the first word names; Typer shows help and completes."""
    if not words or words[0].partition("=")[0] in _OWN:
        return _typed("", words or ["--help"])
    command = COMMANDS.get(words[0])
    if command is None:
        raise _unknown(words)
    if bindings.asks_for_help(words[1:]):
        return _typed(command.name, ["--help"])
    return command.run(words[1:], environment)


def _typed(name: str, words: list[str]) -> int | None:
    from autograd_cli.cli.application import typed

    return typed(name, words)


def _unknown(words: Sequence[str]) -> InputError:
    """The refusal of a first word that is no command, with a line that works."""
    first = words[0]
    option = first.startswith("-")
    near = [] if option else get_close_matches(first, COMMANDS, 1)
    return InputError(
        "AGX205",
        f"`{first}` is no {'option of agx; a command comes first' if option else 'command of agx'}.",
        text=bindings.shell(["agx", *words]),
        span=Span(4, len(bindings.shell(["agx", first]))),
        hint=f"Did you mean `{near[0]}`?" if near else "`agx --help` lists the commands.",
        fix=bindings.shell(["agx", *(near or ["trace", first]), *words[1:]]),
    )
