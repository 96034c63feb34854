"""A progress bar on stderr, where a person watches and it takes long; nothing of it stays."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import Any

from autograd_cli.cli.environment import Environment

Show = Callable[[int, int, str], None]
"""Takes how much is done, of how much, and what is being done."""

PATIENCE = 1.0
"""Seconds after which a person wants to know how far it is."""

_CLEARED = "\r\x1b[K\x1b[?25h"
"""Erases a line and shows the cursor, which a bar hides."""


@contextmanager
def bar(environment: Environment, patience: float = 0.0) -> Iterator[Show]:
    """What moves a bar, which comes up at the first call after `patience` seconds."""
    if not environment.stderr.isatty() or environment.quiet:
        yield lambda done, count, name: None
        return
    with ExitStack() as stack:
        yield _Bar(environment, stack, monotonic() + patience).show


class _Bar:
    """A bar that does not go back; what is being done stands behind it."""

    def __init__(self, environment: Environment, stack: ExitStack, since: float) -> None:
        self.environment = environment
        self.stack = stack
        self.since = since
        self.made: tuple[Any, Any] | None = None
        self.furthest, self.name = 0, ""

    def show(self, done: int, count: int, name: str) -> None:
        """Move the bar to `done` of `count`."""
        if self.made is None:
            if monotonic() < self.since:
                return
            self.made = self._made(count)
        self.furthest = max(done, self.furthest) if name == self.name else done
        self.name = name
        progress, task = self.made
        progress.update(task, total=count, completed=self.furthest, description=name)

    def _made(self, count: int) -> tuple[Any, Any]:
        from rich.console import Console  # most runs are over before a bar would come up
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        stderr = self.environment.stderr
        console = Console(file=stderr, no_color=not self.environment.coloured(stderr))
        columns = BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False)
        made = Progress(
            *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self.stack.enter_context(made)
        return made, made.add_task("", total=count)


def clear(environment: Environment) -> None:
    """Take away what a bar left that was killed."""
    if environment.stderr.isatty():
        environment.stderr.write(_CLEARED)
        environment.stderr.flush()
