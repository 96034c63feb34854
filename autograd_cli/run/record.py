"""One expression run: its tape and root, and the state of torch that a run needs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from autograd_cli.lang.nodes import Program
from autograd_cli.run.program import run_program
from autograd_cli.run.settings import Settings
from autograd_cli.run.slices import of_value, whole
from autograd_cli.run.tape import BoundValue, Run
from autograd_cli.run.traced import Traced


def run(program: Program, bindings: Sequence[BoundValue], settings: Settings) -> Run:
    """The run of a program of one expression: its tape and root, or its failure with the tape so far.

    The random state is the caller's: see `torch_state`. Raises LanguageError where the
    program asks for something the language does not have.
    """
    ran = run_program(program, bindings, settings)
    return whole(ran) if program.is_expression else of_value(ran)


@contextmanager
def torch_state(settings: Settings) -> Iterator[None]:
    """The seed and default dtype of `settings`, and what was there before, after it."""
    dtype, state = torch.get_default_dtype(), torch.random.get_rng_state()
    if settings.device == "cpu":  # torch.manual_seed keeps the stack for an accelerator that may come
        torch.default_generator.manual_seed(settings.seed)
    else:
        torch.random.manual_seed(settings.seed)
    try:
        set_dtype(getattr(torch, settings.dtype))
        yield
    finally:
        set_dtype(dtype)
        torch.random.set_rng_state(state)


def set_dtype(dtype: torch.dtype) -> None:
    """Have new floating tensors be of that dtype; to set it takes longer than to see that it is so."""
    if torch.get_default_dtype() != dtype:
        torch.set_default_dtype(dtype)


def evaluate(
    program: Program, bindings: Sequence[BoundValue], settings: Settings
) -> tuple[Any, Exception | None]:
    """The value of `program`, and what torch raised where it cannot be evaluated."""
    ran = run_program(program, bindings, settings, lists=True)
    if ran.failure is not None:
        return None, ran.failure.error
    return (ran.value.value if isinstance(ran.value, Traced) else ran.value), None
