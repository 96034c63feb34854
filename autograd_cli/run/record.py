"""A program run: the door to the interpreter, with the state of torch it needs."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from autograd_cli.errors import first_line
from autograd_cli.lang.nodes import Program
from autograd_cli.run.interpreter import Interpreter
from autograd_cli.run.recorder import StoppedError
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue, Run


def run(program: Program, bindings: Sequence[BoundValue], settings: Settings) -> Run:
    """The run of `program`: its tape and root, or its failure with the tape so far.

    The random state is the caller's: see `torch_state`. Raises LanguageError where the
    program asks for something the language does not have.
    """
    interpreter = Interpreter(program.source.text, bindings, settings)
    root, failure = None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            root = interpreter.one_tensor(program.body, interpreter.root(program.body))
        except StoppedError as stopped:
            failure = stopped.failure
    return Run(
        program=program,
        bindings=tuple(bindings),
        steps=interpreter.steps,
        root=root,
        failure=failure,
        settings=settings,
        warnings=tuple(dict.fromkeys(_said(w.message) for w in caught)),
    )


def _said(message: Warning | str) -> str:
    return message if isinstance(message, str) else first_line(message)


@contextmanager
def torch_state(settings: Settings) -> Iterator[None]:
    """The seed and default dtype of `settings`, and what was there before, after it."""
    dtype, state = torch.get_default_dtype(), torch.random.get_rng_state()
    torch.random.manual_seed(settings.seed)
    try:
        torch.set_default_dtype(getattr(torch, settings.dtype))
        yield
    finally:
        torch.set_default_dtype(dtype)
        torch.random.set_rng_state(state)


def evaluate(program: Program, bindings: Sequence[BoundValue], settings: Settings) -> Any:
    """The value of `program`; raises what torch raised where it cannot be evaluated."""
    made = run(program, bindings, settings)
    if made.failure is not None:
        raise made.failure.error
    return made.output
