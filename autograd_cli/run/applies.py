"""Every call of an autograd.Function seen, also by a name that their file gave its `apply`.

torch's own `apply` is stood in for before a person's file is loaded, and stays so: a file that says
`swish = Swish.apply` keeps what it found then.
"""

import dis
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction

from autograd_cli.run.widened import is_marked, mark, widened

See = Callable[[Callable[..., Any], type[torch.autograd.Function], tuple[Any, ...], dict[str, Any]], Any]
"""Makes a call of a class by `apply` itself, and notes it."""

_watching: list[See] = []


@contextmanager
def watched(see: See) -> Iterator[None]:
    """Have `see` make every call inside."""
    _watching.append(see)
    try:
        yield
    finally:
        _watching.pop()


def is_raised(error: BaseException) -> bool:
    """Whether code raised an error by `raise`; the KeyboardInterrupt of Ctrl-C comes to any other place."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"


def leaving(error: BaseException) -> str:
    """What code does that ends Python: sys.exit, or a KeyboardInterrupt of its own; empty for all else."""
    if isinstance(error, SystemExit):
        return f"ends Python (sys.exit, {error.code!r})"
    return "raises KeyboardInterrupt" if isinstance(error, KeyboardInterrupt) and is_raised(error) else ""


@contextmanager
def staying() -> Iterator[None]:
    """What ends Python inside is a RuntimeError that came from the same place."""
    try:
        yield
    except (SystemExit, KeyboardInterrupt) as error:
        if not leaving(error):
            raise
        raise RuntimeError(f"it {leaving(error)}").with_traceback(error.__traceback__) from error


def install() -> None:
    """Stand in for torch's `apply`, and for that of the nodes, which calls backward; once a process."""
    found = torch.autograd.Function.__dict__["apply"].__func__
    if getattr(found, "of_agx", False):
        return

    def apply(cls: type[torch.autograd.Function], *args: Any, **kwargs: Any) -> Any:
        if not _watching:
            return mark(found(cls, *args, **kwargs))
        return mark(_watching[-1](found, cls, args, kwargs))

    apply.of_agx = True  # type: ignore[attr-defined]
    torch.autograd.Function.apply = classmethod(apply)  # type: ignore[method-assign, assignment]
    passed: Callable[..., Any] = BackwardCFunction.apply

    def back(node: BackwardCFunction, *args: Any) -> Any:
        with staying(), widened(is_marked(node)):
            return passed(node, *args)

    BackwardCFunction.apply = back  # type: ignore[method-assign]
