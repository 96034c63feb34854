"""The parameters of a person's modules: the gradient of each, held against differences in float64."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch

from autograd_cli.gradients import check as witnesses
from autograd_cli.gradients.backward import Backward, slopes
from autograd_cli.gradients.clinic import written
from autograd_cli.gradients.clinic.passing import leaves
from autograd_cli.gradients.replay import raised
from autograd_cli.report import Examination, Gradient, Ref, Slot, Verdict, Witness, below
from autograd_cli.run.brought import Called
from autograd_cli.run.tape import BoundValue, LiveStep, Run, filled
from autograd_cli.run.values import tensors_in

_LARGE = 200_000
"""Elements of all parameters beyond which they are not looked at: it would take too long."""


def of_modules(run: Run) -> Iterator[Examination]:
    """An examination of each module that a run called, where its parameters require grad."""
    seen = set[int]()
    for step in run.steps:
        module = step.call.target.call if isinstance(step.call, Called) else None
        if isinstance(module, torch.nn.Module) and id(module) not in seen:
            seen.add(id(module))
            found = _parameters(module)
            if found and sum(each.numel() for each in found.values()) <= _LARGE:
                yield _examination(run, step, module, list(found))


def _parameters(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: one for name, one in module.named_parameters() if one.requires_grad}


def _examination(run: Run, step: LiveStep, module: torch.nn.Module, names: Sequence[str]) -> Examination:
    assert isinstance(step.call, Called)
    kind, called = type(module), step.call.target.use.name
    text, place = run.program.source[step.expr.span], written.place(kind.forward)
    made = Examination(kind.__name__, text, place, leaves=leaves(run, step))
    try:
        gradients = _judged(run, step, module, names)
    except Exception:  # what cannot be called in float64 is told of the whole
        return made
    found = enumerate(zip(names, gradients, strict=True))
    slots = (_slot(f"{called}.{name}", i, each) for i, (name, each) in found if each.verdict is not None)
    return replace(made, slots=tuple(slots))


def _judged(run: Run, step: LiveStep, module: torch.nn.Module, names: Sequence[str]) -> tuple[Gradient, ...]:
    """The gradients of the call alone by the parameters, its output weighed with drawn numbers."""
    needed = set(below(step))
    values = [_apart(one.value) if one.index in needed else None for one in run.steps]
    double = copy.deepcopy(module).double()
    args, kwargs = filled(step.args, values), filled(step.kwargs, values)
    known = _parameters(double)
    given = [known[name].detach().clone().requires_grad_() for name in names]
    called = step.call
    assert isinstance(called, Called)

    def weighed(*parameters: torch.Tensor) -> torch.Tensor:
        is_recorded = torch.is_grad_enabled()
        leaves = [one if one.requires_grad else one.detach().requires_grad_() for one in parameters]
        with torch.enable_grad():  # their code may ask for a graph, as a hook does
            made = called.with_parameters(double, dict(zip(names, leaves, strict=True)), args, kwargs)
        generator = torch.Generator().manual_seed(0)
        total = torch.stack([_weighed(one, generator) for one in tensors_in(made)]).sum()
        return total if is_recorded else total.detach()

    with torch.enable_grad():
        root = weighed(*given)
    bound = tuple(BoundValue(name, "", leaf, "leaf") for name, leaf in zip(names, given, strict=True))
    steps = [LiveStep(i, step.expr, "binding", one.value, name=one.name) for i, one in enumerate(bound)]
    refs = tuple(Ref(i) for i in range(len(given)))
    fns = () if root.grad_fn is None else (root.grad_fn,)
    steps.append(LiveStep(len(given), step.expr, "call", root, call=weighed, args=refs, grad_fns=fns))
    settings = replace(run.settings, dtype="float64", device="cpu")
    alone = Run(run.program, bound, steps, len(given), None, settings)
    made = slopes(root, given, torch.ones_like(root))
    options = witnesses.Options(witnesses=frozenset({Witness.AUTOGRAD, Witness.NUMERIC}), limit=None)
    return witnesses.check(alone, Backward(leaves=dict(zip(names, made, strict=True))), None, options)


def _apart(value: Any) -> Any:
    """A value in float64 that no gradient comes to."""
    return raised(value.detach() if isinstance(value, torch.Tensor) else value)


def _weighed(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """The sum of a tensor, each element times a drawn number."""
    drawn = torch.randn(value.shape, generator=generator, dtype=torch.float64)
    return (value * drawn).sum() if value.is_floating_point() else torch.zeros((), dtype=torch.float64)


def _slot(name: str, position: int, gradient: Gradient) -> Slot:
    """What was found of one parameter."""
    verdict = gradient.verdict or Verdict.OK
    return Slot(name, position, 0, gradient.shape, verdict, sentence=gradient.sentence)
