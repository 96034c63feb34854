"""The command line: argv in, exit status out.

Takes: what a person types, standard input, the terminal.
Gives: text on stdout, talk on stderr, one of `errors.ExitStatus`.
May import every room. Must not import torch, sympy, rich or typer at module level here;
nobody imports `cli`.
"""

try:
    from typing import TYPE_CHECKING, Any

    from autograd_cli.cli.entry import main as main
except KeyboardInterrupt:  # while modules load there is nothing to clean up, and nothing to tell
    raise SystemExit(130) from None

if TYPE_CHECKING:
    from autograd_cli.cli.application import app as app
    from autograd_cli.cli.dispatch import run as run


def __getattr__(name: str) -> Any:
    """`app`, the Typer application, and `run`, loaded when first asked for."""
    if name == "run":
        from autograd_cli.cli.dispatch import run

        return run
    if name == "app":
        from autograd_cli.cli.application import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
