"""Functions of the program: what a `def` makes, called with Python's own rules."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autograd_cli.errors import LimitError
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.recording import settled
from autograd_cli.run.state import Frame, State

DEEPEST = 50
"""Calls of functions inside each other."""


@dataclass(eq=False)
class Defined:
    """A function of the program. `body` runs it among its variables and says how it ended.

    `defaults` are those of the last parameters, evaluated when the `def` was.
    """

    name: str
    parameters: tuple[str, ...]
    defaults: tuple[Any, ...] = ()
    body: Callable[[Frame], Any] = field(default=lambda frame: None)

    def __repr__(self) -> str:
        return f"<function {self.name}>"

    @property
    def __name__(self) -> str:
        return self.name

    def call(self, state: State, node: Expr, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What it returns; TypeError, in Python's words, for arguments that it does not take."""
        try:
            frame = self._frame(args, kwargs)
        except TypeError as error:
            state.failed(error, node, None, args)
            raise
        if state.called >= DEEPEST:
            raise _too_deep(state, node)
        site, events = state.site, state.events
        state.called += 1
        state.events = []
        try:
            self.body(frame)
        except Exception as error:
            state.passed_on(error, node)
            raise
        finally:
            state.called -= 1
        returned, state.returned = state.returned, None
        state.site, state.events = site, events
        return returned

    def _frame(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Frame:
        names = self.parameters
        if len(args) > len(names):
            raise TypeError(self._too_many(len(args)))
        frame = {name: settled(arg, name) for name, arg in zip(names, args, strict=False)}
        for name, arg in kwargs.items():
            if name not in names:
                raise TypeError(f"{self.name}() got an unexpected keyword argument '{name}'")
            if name in frame:
                raise TypeError(f"{self.name}() got multiple values for argument '{name}'")
            frame[name] = settled(arg, name)
        if len(frame) < len(names):
            self._fill(frame)
        return frame

    def _fill(self, frame: Frame) -> None:
        """Defaults for what was not given; TypeError for what has none."""
        first = len(self.parameters) - len(self.defaults)
        missing = [name for name in self.parameters[:first] if name not in frame]
        if missing:
            shown = _listed([f"'{name}'" for name in missing])
            plural = "s" if len(missing) > 1 else ""
            raise TypeError(
                f"{self.name}() missing {len(missing)} required positional argument{plural}: {shown}"
            )
        for name, value in zip(self.parameters[first:], self.defaults, strict=True):
            frame.setdefault(name, value)

    def _too_many(self, given: int) -> str:
        most = len(self.parameters)
        takes = str(most) if not self.defaults else f"from {most - len(self.defaults)} to {most}"
        plural = "" if most == 1 and not self.defaults else "s"
        verb = "was" if given == 1 else "were"
        return f"{self.name}() takes {takes} positional argument{plural} but {given} {verb} given"


def _listed(names: list[str]) -> str:
    """As Python lists them: "'a' and 'b'", "'a', 'b', and 'c'"."""
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


def _too_deep(state: State, node: Expr) -> LimitError:
    return LimitError(
        "AGX606",
        f"Functions are called more than {DEEPEST} deep here.",
        text=state.text,
        span=node.span,
        hint="Call them one after the other, not inside each other.",
    )
