"""One text run twice: by Python itself, and by agx."""

import io
import re
import traceback
import types
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import torch

from autograd_cli.errors import AgxError, Span
from autograd_cli.lang.check import check
from autograd_cli.lang.nodes import Program
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.run.inputs import Roles, bind
from autograd_cli.run.program import run_program
from autograd_cli.run.record import torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue
from autograd_cli.run.traced import Traced
from tests.same.outcomes import Outcome, differences, outcome

PRELUDE = (Path(__file__).parent.parent / "prelude.txt").read_text(encoding="utf-8")
SETTINGS = Settings()
TRIES = 3
FILE = "<program>"
IMPORT = re.compile(r"^\s*(import|from)\s", re.MULTILINE)


@cache
def _prelude() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(PRELUDE, names)
    return names


def start(text: str) -> dict[str, Any]:
    """The names that a program starts with: the prelude's, unless it imports what it needs."""
    return {"__name__": "__main__"} if IMPORT.search(text) else dict(_prelude())


@contextmanager
def as_it_was() -> Iterator[None]:
    """What a program may change in torch is put back after it, and its warnings are not heard."""
    dtype, grads = torch.get_default_dtype(), torch.is_grad_enabled()
    with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)
            torch.set_grad_enabled(grads)


def in_python(text: str, bindings: Mapping[str, str] | None = None) -> Outcome:
    """What CPython makes of a program that starts with the values of `bindings`."""
    before = start(text)
    names, printed, error, lines = dict(before), io.StringIO(), "", (0, 0)
    with as_it_was(), torch_state(SETTINGS), redirect_stdout(printed):
        names |= {binding.name: binding.value for binding in bound(text, bindings)}
        try:
            exec(compile(text, FILE, "exec"), names)
        except Exception as raised:
            error, lines = type(raised).__name__, _place(raised)
    return outcome(_own(names, before), printed.getvalue(), error, lines)


def in_agx(text: str, bindings: Mapping[str, str] | None = None) -> Outcome:
    """What agx makes of it."""
    with as_it_was(), torch_state(SETTINGS):
        values = bound(text, bindings)
        ran = run_program(read(text, bindings), values, SETTINGS)
    names = {name: untraced(value) for name, value in ran.names.items()}
    error, lines = "", (0, 0)
    if ran.failure is not None and ran.failed is not None:
        error, lines = type(ran.failure.error).__name__, _lines(text, ran.failed.span)
    return outcome(names, "".join(ran.printed), error, lines)


def compared(text: str, bindings: Mapping[str, str] | None = None) -> list[str]:
    """What is not the same, in words.

    The last bit of what LAPACK computes depends on where in memory its arguments lie, in two runs
    of Python too: a difference counts when it is there each time.
    """
    for _ in range(TRIES):
        try:
            found = differences(in_python(text, bindings), in_agx(text, bindings))
        except AgxError as refusal:
            return [f"is refused: {refusal.sentence}"]
        if not found:
            break
    return found


def read(text: str, bindings: Mapping[str, str] | None) -> Program:
    """A program, parsed and checked."""
    program = parse(Source(text))
    check(program, list(bindings or {}))
    return program


def bound(text: str, bindings: Mapping[str, str] | None) -> tuple[BoundValue, ...]:
    """The values of bindings, new ones each time."""
    if not bindings:
        return ()
    return bind(list(bindings.items()), Roles(check(parse(Source(text)), list(bindings)).names), SETTINGS)


def _place(error: Exception) -> tuple[int, int]:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE]
    return frames[-1].lineno or 0, frames[-1].lineno or 0


def _own(names: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """What the program itself named: no modules, no functions, nothing of Python's."""
    strange = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)
    return {
        name: value
        for name, value in names.items()
        if not name.startswith("__")
        and before.get(name, _own) is not value
        and not isinstance(value, strange)
    }


def untraced(value: Any) -> Any:
    """A value as Python has it: tensors instead of what was recorded of them."""
    if isinstance(value, Traced):
        return untraced(value.value)
    if type(value) in (list, tuple):
        return type(value)(map(untraced, value))
    return value


def _lines(text: str, span: Span) -> tuple[int, int]:
    return text.count("\n", 0, span.start) + 1, text.count("\n", 0, span.end) + 1
