"""The command line: argv in, exit status out.

Takes: what a person types, standard input, the terminal.
Gives: text on stdout, talk on stderr, one of `errors.ExitStatus`.
May import every room. Must not import torch, sympy, rich or typer at module level here;
nobody imports `cli`.
"""

from typing import TYPE_CHECKING, Any

from autograd_cli.cli.entry import main as main

if TYPE_CHECKING:
    from autograd_cli.cli.application import app as app, run as run


def __getattr__(name: str) -> Any:
    """`app`, the Typer application, and `run`, made when first asked for."""
    if name not in ("app", "run"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from autograd_cli.cli import application

    return getattr(application, name)
