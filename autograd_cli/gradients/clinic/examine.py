"""The examination of a person's autograd.Functions: every kind of call that a run made of one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy
import torch

from autograd_cli.errors import first_line
from autograd_cli.gradients import check as witnesses
from autograd_cli.gradients.backward import Backward
from autograd_cli.gradients.clinic import written
from autograd_cli.gradients.clinic.concerns import concerns
from autograd_cli.gradients.clinic.patterns import Wrong, patterns, stated
from autograd_cli.gradients.clinic.second import second_order
from autograd_cli.gradients.clinic.trial import Passed, Trial
from autograd_cli.gradients.replay import quiet
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Concern, Examination, Gradient, Ref, Slot, Verdict, Witness
from autograd_cli.report.values import flat
from autograd_cli.run.brought import Applied, Called
from autograd_cli.run.tape import BoundValue, LiveStep, Run
from autograd_cli.run.targets import hushed

_MOST = 8
"""Calls of different kinds that are looked at."""
_FEW = 400
"""Elements of an input up to which its error is compared with patterns."""
_ORDER = "agx gradcheck … --order 2"


_LARGE = 200_000
"""Elements of all inputs beyond which the whole check is enough: this one would take as long again."""
_SMOOTH = frozenset({Verdict.OK, Verdict.PRECISION, Verdict.WRONG})
"""First verdicts with which a second order can be looked at."""


def examined(run: Run) -> tuple[Examination, ...]:
    """What is to be said of each autograd.Function that the steps of a run called."""
    found = []
    with quiet(), hushed(True):
        for step, applied in list(_calls(run))[:_MOST]:
            found.append(_examination(run, step, applied))
    return tuple(found)


def _calls(run: Run) -> Iterator[tuple[LiveStep, Applied]]:
    """The calls of their Functions that gradients pass, one of each kind."""
    seen = set()
    for step in run.steps:
        for applied in step.call.applied if isinstance(step.call, Called) else ():
            kind = (applied.owner, tuple(map(_kind, applied.args)), applied.needs)
            if kind not in seen and any(applied.needs) and any(applied.outputs):
                seen.add(kind)
                yield step, applied


def _kind(arg: Any) -> Any:
    return (arg.shape, arg.dtype) if isinstance(arg, torch.Tensor) else type(arg)


def _examination(run: Run, step: LiveStep, applied: Applied) -> Examination:
    text = run.program.source[step.expr.span]
    place = written.class_place(applied.owner)
    made = Examination(applied.owner.__name__, text, place)
    try:
        trial = Trial(applied)
    except Exception as error:  # whatever their forward raises is told
        said = f"could not be looked at in float64: {first_line(error)}"
        return replace(
            made, concerns=(Concern("refuses-float64", said, written.place(applied.owner.forward)),)
        )
    if not trial.slots or not trial.is_real:
        said = "has complex inputs or outputs, which are checked as a whole alone"
        return replace(made, concerns=(Concern("not-examined", said, place),))
    return _of_trial(made, run, step.expr, trial)


def _of_trial(made: Examination, run: Run, expr: Expr, trial: Trial) -> Examination:
    passed = trial.backward(trial.values, trial.ones())
    elements = sum(trial.values[i].numel() for i in trial.slots)
    if passed.error is None and elements <= _LARGE:
        slots = tuple(_slots(run, expr, trial))
        smooth = all(slot.verdict in _SMOOTH for slot in slots)
        second, sentence = second_order(trial) if smooth else (None, "")
    else:
        slots, second, sentence = (), None, ""
    said = concerns(trial, passed)
    if elements > _LARGE:
        words = f"its values are looked at in the whole alone, since its inputs have {elements:,} elements"
        said = (*said, Concern("not-examined", words, made.place))
    if passed.error is not None and not any(each.wrong for each in said):
        words = f"torch refuses what backward returns: {first_line(passed.error)}"
        said = (Concern("refused", words, written.returned(trial.owner, 1), True), *said)
    made = replace(
        made, slots=slots, concerns=_with_order(said, second), second=second, second_sentence=sentence
    )
    return replace(made, next=_next(made))


def _with_order(said: Sequence[Concern], second: Verdict | None) -> tuple[Concern, ...]:
    """The concerns, those of kept tensors with what they do to the second order."""
    ending = (
        ": second order will be wrong"
        if second is Verdict.WRONG
        else ": its graph is lost for a second order"
    )
    return tuple(
        replace(each, sentence=each.sentence + ending) if each.name.endswith("-intermediate") else each
        for each in said
    )


def _next(made: Examination) -> str:
    """What to do now; empty where nothing is wrong."""
    if any(slot.verdict is Verdict.WRONG for slot in made.slots) or any(each.wrong for each in made.concerns):
        places = [slot.place for slot in made.slots if slot.verdict is Verdict.WRONG]
        place = next(iter(places), next((each.place for each in made.concerns if each.wrong), ""))
        then = f", then {_ORDER}" if made.second is Verdict.WRONG else ""
        return f"mend {(place or made.place).partition(',')[0]} and run this again{then}"
    return _ORDER if made.second is Verdict.WRONG else ""


# Slots


def _slots(run: Run, expr: Expr, trial: Trial) -> Iterator[Slot]:
    """The slots under a cotangent of ones; where that is right, under one whose elements differ."""
    first = _judged(run, expr, trial, trial.ones())
    other = _judged(run, expr, trial, trial.drawn())
    for position in trial.slots:
        slot, again = first[position], other[position]
        yield again if slot.verdict is not Verdict.WRONG and again.verdict is Verdict.WRONG else slot


def _judged(run: Run, expr: Expr, trial: Trial, cotangents: Sequence[torch.Tensor]) -> dict[int, Slot]:
    passed = trial.backward(trial.values, cotangents)
    gradients = _gradients(run, expr, trial, passed, cotangents)
    made = {}
    for position, gradient in zip(trial.slots, gradients, strict=True):
        slot = _slot(trial, position, gradient, passed)
        if slot.verdict is Verdict.WRONG:
            slot = replace(slot, patterns=_patterns(trial, position))
        made[position] = slot
    return made


def _gradients(
    run: Run, expr: Expr, trial: Trial, passed: Passed, cotangents: Sequence[torch.Tensor]
) -> tuple[Gradient, ...]:
    """The gradients of the call alone as the witnesses judge them, the inputs being its leaves."""
    leaves = [trial.values[i].detach().clone().requires_grad_() for i in trial.slots]

    def weighed(*inputs: torch.Tensor) -> torch.Tensor:
        values = list(trial.values)
        for position, given in zip(trial.slots, inputs, strict=True):
            values[position] = given
        return trial.weigh(trial.call(values), cotangents)

    names = [f"input{i}" for i in trial.slots]
    steps = [LiveStep(i, expr, "binding", leaf, name=names[i]) for i, leaf in enumerate(leaves)]
    root = weighed(*leaves)
    refs = tuple(Ref(i) for i in range(len(leaves)))
    fns = () if root.grad_fn is None else (root.grad_fn,)
    steps.append(LiveStep(len(leaves), expr, "call", root, call=weighed, args=refs, grad_fns=fns))
    bound = tuple(BoundValue(name, "", leaf, "leaf") for name, leaf in zip(names, leaves, strict=True))
    alone = Run(
        run.program, bound, steps, len(leaves), None, replace(run.settings, dtype="float64", device="cpu")
    )
    given: dict[str, torch.Tensor | None]
    given = {name: _or_zeros(passed, i, trial) for name, i in zip(names, trial.slots, strict=True)}
    options = witnesses.Options(witnesses=frozenset({Witness.AUTOGRAD, Witness.NUMERIC}), limit=None)
    return witnesses.check(alone, Backward(leaves=given), None, options)


def _or_zeros(passed: Passed, position: int, trial: Trial) -> torch.Tensor:
    """The gradient of a slot; a backward that gives none says 0."""
    made = passed.gradients.get(position)
    return torch.zeros_like(trial.values[position]) if made is None else made


def _slot(trial: Trial, position: int, gradient: Gradient, passed: Passed) -> Slot:
    number, shape = position + 1, tuple(trial.values[position].shape)
    slot = Slot(trial.names[position], position, number, shape, gradient.verdict or Verdict.OK)
    if slot.verdict is not Verdict.WRONG:
        return replace(slot, sentence=gradient.sentence)
    given = _or_zeros(passed, position, trial)
    stated_at = (written.returned(trial.owner, number), stated(trial.owner.__name__, number))
    place = ", ".join(filter(None, (*stated_at, written.assigned(trial.owner, number))))
    slot = replace(slot, place=place, sentence=gradient.sentence, error_bar=gradient.error_bar)
    if gradient.numeric is None or gradient.directions is not None:
        return slot
    numeric = torch.tensor(list(flat(gradient.numeric)), dtype=torch.float64).reshape(shape)
    off = (given - numeric).abs()
    at = tuple(int(i) for i in numpy.unravel_index(int(off.argmax()), shape)) if shape else ()
    room = (gradient.tolerance or 0.0) + 2 * (gradient.error_bar or 0.0)
    return replace(
        slot,
        wrong=int((off > room).sum()),
        worst=at,
        value=float(trial.values[position][at]),
        backward=float(given[at]),
        numeric=float(numeric[at]),
    )


def _patterns(trial: Trial, position: int) -> tuple[str, ...]:
    """What the error looks like; nothing is said of an input with too many elements.

    Looked for under a cotangent whose elements differ, where a mean is no row and no sum.
    """
    if any(trial.values[i].numel() > _FEW for i in trial.slots):
        return (f"not looked for, since an input has more than {_FEW} elements: try a smaller one",)
    cotangents = trial.drawn()
    passed = trial.backward(trial.values, cotangents)
    numeric = {i: trial.numeric(i, trial.values, cotangents) for i in trial.slots}
    given = {i: _or_zeros(passed, i, trial) for i in trial.slots}
    return patterns(Wrong(trial, position, cotangents, given, numeric))
