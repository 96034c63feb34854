"""Sources run and judged as a person would run them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import torch

from autograd_cli.gradients.backward import Backward, backward
from autograd_cli.gradients.check import Options, check
from autograd_cli.gradients.second.check import second
from autograd_cli.lang.check import check as names_of
from autograd_cli.lang.parse import TextLimits, parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Gradient
from autograd_cli.report.second import SecondBlock
from autograd_cli.run import callees
from autograd_cli.run.inputs import Roles, bind
from autograd_cli.run.record import run as record, torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import Run


@dataclass(frozen=True)
class Judged:
    """A run with its backward and its gradients by name."""

    run: Run
    backward: Backward
    gradients: dict[str, Gradient]


def trace(
    source: str, dtype: str = "float64", const: str = "", device: str = "cpu", **bindings: object
) -> Run:
    """The run of `source` with its bindings as text; `const` names those without a gradient."""
    program = parse(Source(source), TextLimits(max_chain=10_000))
    pairs = tuple((name, str(text)) for name, text in bindings.items())
    names = names_of(program, [name for name, _ in pairs]).names
    settings = Settings(device=device, dtype="float64" if "complex" in dtype else dtype)
    with torch_state(settings):
        bound = bind(pairs, Roles(names, const=frozenset(const.split())), settings, dtype)
        run = record(program, bound, settings)
    if run.failure is not None:
        raise run.failure.error
    return run


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    """Small tensors on one thread: threads that wait for each other take longer than the work."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def traced() -> Callable[..., Run]:
    return trace


@pytest.fixture
def judged() -> Callable[..., Judged]:
    """A function from a source and its bindings to its judged gradients."""

    def judge(source: str, options: Options | None = None, **given: object) -> Judged:
        run = trace(source, **given)
        made = backward(run, None)
        found = check(run, made, None, options)
        return Judged(run, made, {gradient.name: gradient for gradient in found})

    return judge


@pytest.fixture
def blocks() -> Callable[..., dict[tuple[str, str], SecondBlock]]:
    """A function from a source and its bindings to the blocks of its second derivative, by leaves."""

    def made(
        source: str, options: Options | None = None, **given: object
    ) -> dict[tuple[str, str], SecondBlock]:
        found = second(trace(source, **given), None, options)
        return {block.pair: block for block in found.blocks}

    return made


@pytest.fixture
def in_place_of_sin(monkeypatch: pytest.MonkeyPatch) -> Callable[[type[torch.autograd.Function]], None]:
    """Puts a Function into the place of torch's sine."""

    def put(function: type[torch.autograd.Function]) -> None:
        own = callees.callable_for
        monkeypatch.setattr(
            callees, "callable_for", lambda f, **how: function.apply if f.name == "sin" else own(f, **how)
        )

    return put
