"""Where a graph is cut, and the slopes as they are without that.

detach, no_grad blocks, item and casts to int are constants for autograd, and for the numeric
witness as well; here what they hold moves with the leaves.
"""

from collections.abc import Iterator
from dataclasses import replace
from linecache import getline

import torch

from autograd_cli.gradients.numeric import Chosen, Numeric, numeric
from autograd_cli.gradients.replay import Replay, ReplayError
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.report import below
from autograd_cli.report.checks import Cut
from autograd_cli.run.brought import Called
from autograd_cli.run.tape import LiveStep, Run
from autograd_cli.run.values import tensors_in


def through(run: Run) -> Run:
    """The run with nothing that its leaves reach held constant but what was drawn at random."""
    reached = _reached(run)
    return replace(run, steps=[_moving(step) if step.index in reached else step for step in run.steps])


def _moving(step: LiveStep) -> LiveStep:
    """The step with what is cut from the graph in it moving."""
    if isinstance(step.call, Called) and step.call.cuts:
        step = replace(step, call=step.call.uncut())
    return replace(step, held=False, renewed=True) if _is_still(step) and not _is_drawn(step) else step


def uncut(run: Run, name: str, cotangent: torch.Tensor, elements: Chosen | None) -> Numeric | None:
    """The numeric slopes of a leaf through all cuts; None where they cannot be had."""
    try:
        return numeric(Replay(through(run.beyond())), name, cotangent, elements=elements)
    except ReplayError:
        return None


def cuts(run: Run, name: str) -> tuple[Cut, ...]:
    """The expressions under the root where the gradient of the leaf `name` ends."""
    if run.root is None:
        return ()
    run = run.beyond()
    reached = _reached(run, name)
    under = set(run.needed())
    passed = [step for step in run.steps if step.index in reached and step.index in under]
    return tuple(dict.fromkeys(cut for step in passed for cut in _cuts_of(run, step, reached)))


def _cuts_of(run: Run, step: LiveStep, reached: set[int]) -> Iterator[Cut]:
    """The cut that a step is, and those inside of a person's own callable."""
    source, span = run.program.source, step.expr.span
    made = Cut(source[span], (span.start, span.end), source.line_of(span.start))
    inside = step.call.cuts if isinstance(step.call, Called) else ()
    for file, line in inside:
        yield replace(made, text=getline(file, line).strip() or made.text, place=f"{file}:{line}")
    if not inside and _cuts(run, step, reached):
        yield made


def _reached(run: Run, name: str | None = None) -> set[int]:
    """The steps that the values of the leaves, or of one, go into."""
    reached: set[int] = set()
    for step in run.steps:
        is_leaf = step.kind == "binding" and step.name in run.leaves and name in (None, step.name)
        if is_leaf or (step.kind == "call" and not reached.isdisjoint(below(step))):
            reached.add(step.index)
    return reached


def _cuts(run: Run, step: LiveStep, reached: set[int]) -> bool:
    """Whether the step has an argument with a gradient, and no result with one that is a number."""
    if step.kind != "call" or not _is_still(step) or _is_drawn(step):
        return False
    results = tensors_in(step.value)
    if isinstance(step.value, bool) or any(result.dtype == torch.bool for result in results):
        return False
    arguments = [run.steps[index].value for index in below(step) if index in reached]
    return any(t.requires_grad for value in arguments for t in tensors_in(value))


def _is_still(step: LiveStep) -> bool:
    """Whether no gradient comes through the step."""
    return step.kind == "call" and not any(t.requires_grad for t in tensors_in(step.value))


def _is_drawn(step: LiveStep) -> bool:
    return step.function is not None and (step.function.kind is Kind.RANDOM or step.function.draws)
