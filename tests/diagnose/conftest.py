"""Runs of real sources on real torch, and their findings."""

from collections.abc import Callable

import pytest
import torch

from autograd_cli.diagnose.failures import failure
from autograd_cli.diagnose.inspections import inspect
from autograd_cli.diagnose.programs import failure_of
from autograd_cli.explore import explore
from autograd_cli.gradients.backward import backward
from autograd_cli.graph.pack import graph, with_cotangents
from autograd_cli.graph.read import read
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding, Gradient, Report
from autograd_cli.run.program import run_program
from autograd_cli.run.record import run, torch_state
from autograd_cli.run.settings import Settings
from autograd_cli.run.slices import whole
from autograd_cli.run.tape import BoundValue, Run
from autograd_cli.run.traced import Ran
from autograd_cli.run.values import plain

Findings = tuple[Finding, ...]


def run_of(source: str, **values: object) -> Run:
    """The run of a source; floating tensors are leaves, all else constant."""
    settings = Settings()
    with torch_state(settings):
        return run(parse(Source(source)), [bound(*pair) for pair in values.items()], settings)


def bound(name: str, value: object) -> BoundValue:
    """A binding as the command line makes it."""
    leaf = isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
    made = value.detach().clone().requires_grad_() if leaf else value
    return BoundValue(name, "", made, "leaf" if leaf else "constant")


def looked_at(made: Run, **options: bool) -> Findings:
    """What inspect says of a run, with its graph and autograd's gradients."""
    root = made.output
    if not isinstance(root, torch.Tensor) or not root.requires_grad:
        return inspect(made, None, (), **options)
    reading = read(made, root)
    passed = backward(made, None, reading.walk.nodes)
    packed = with_cotangents(graph(made, reading), reading, passed.cotangents)
    gradients = [autograd_alone(name, value) for name, value in passed.leaves.items()]
    return inspect(made, packed, gradients, **options)


def autograd_alone(name: str, value: torch.Tensor | None) -> Gradient:
    """A gradient known by one witness."""
    shape = () if value is None else tuple(value.shape)
    values = None if value is None else plain(value)
    return Gradient(name, shape, None, "", "", None, values, None, None, None, None, None, None)


def program_of(source: str, **values: object) -> Ran:
    """A program run to its end or its failure, on values as `run_of` takes them."""
    settings = Settings()
    with torch_state(settings):
        return run_program(parse(Source(source)), [bound(*pair) for pair in values.items()], settings)


@pytest.fixture
def program() -> Callable[..., Ran]:
    """`program(source, **values)`: what the run of a program leaves."""
    return program_of


@pytest.fixture
def why_it_failed() -> Callable[..., Findings]:
    """`why_it_failed(source, **values)`: the findings of a source of either kind, none where it works."""

    def ask(source: str, **values: object) -> Findings:
        made = program_of(source, **values)
        if made.failure is None:
            return ()
        return failure(whole(made)) if made.program.is_expression else failure_of(made)

    return ask


@pytest.fixture
def ran() -> Callable[..., Run]:
    """`ran(source, **values)`: the run of a source, worked or failed."""
    return run_of


@pytest.fixture
def why() -> Callable[..., Finding]:
    """`why(source, **values)`: the finding of a source that fails."""

    def ask(source: str, **values: object) -> Finding:
        (finding,) = failure(run_of(source, **values))
        return finding

    return ask


@pytest.fixture
def said() -> Callable[..., Findings]:
    """`said(source, **values)`: the findings of a source that runs."""

    def ask(source: str, *, cotangent_given: bool = False, **values: object) -> Findings:
        return looked_at(run_of(source, **values), cotangent_given=cotangent_given)

    return ask


@pytest.fixture
def works() -> Callable[..., None]:
    """`works(finding, **values)`: each repair of a finding runs, and says nothing that it said."""

    def check(finding: Finding, **values: object) -> None:
        programs = [fix.program for fix in finding.fix if fix.program]
        assert programs
        assert all(fix.passed is not False for fix in finding.fix)
        for program in programs:
            made = run_of(program, **values)
            assert made.failure is None, program
            assert finding.code not in {each.code for each in looked_at(made)}, program

    return check


@pytest.fixture
def explore_report() -> Callable[[str], Report]:
    """`explore_report(source)`: the whole report of a source without bindings."""
    return lambda source: explore(source, [])


@pytest.fixture
def explore_bound() -> Callable[..., Report]:
    """`explore_bound(source, **texts)`: the whole report of a source with bindings as they are typed."""
    return lambda source, **texts: explore(source, list(texts.items()))
