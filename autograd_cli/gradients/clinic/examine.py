"""The examination of a person's autograd.Functions: every kind of call that a run made of one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from autograd_cli.errors import first_line
from autograd_cli.gradients.clinic import written
from autograd_cli.gradients.clinic.concerns import concerns
from autograd_cli.gradients.clinic.modules import of_modules
from autograd_cli.gradients.clinic.passing import leaves, leaves_by
from autograd_cli.gradients.clinic.patterns import STRAIGHT
from autograd_cli.gradients.clinic.second import Order, second_order
from autograd_cli.gradients.clinic.slots import slots
from autograd_cli.gradients.clinic.trial import Trial
from autograd_cli.gradients.replay import quiet
from autograd_cli.report import Concern, Examination, Slot, Verdict
from autograd_cli.run.brought import Applied, Called
from autograd_cli.run.tape import LiveStep, Run
from autograd_cli.run.targets import hushed, place_of, shown

_MOST = 8
"""Calls of different kinds that are looked at."""
_ALLOW = "agx gradcheck … --allow WRONG"

_LARGE = 200_000
"""Elements of all inputs beyond which the whole check is enough: this one would take as long again."""
_SMOOTH = frozenset({Verdict.OK, Verdict.PRECISION, Verdict.WRONG})
"""First verdicts with which a second order can be looked at."""


def examined(run: Run) -> tuple[Examination, ...]:
    """What is to be said of each autograd.Function that the steps of a run called, and of each module."""
    found = []
    with quiet(), hushed(True):
        for step, applied in list(_calls(run))[:_MOST]:
            found.append(_examination(run, step, applied))
        known = any(one.fails for one in found)
        found += [one if known or not one.fails else replace(one, next=_next(one)) for one in of_modules(run)]
    return tuple(found)


def _calls(run: Run) -> Iterator[tuple[LiveStep, Applied]]:
    """The calls of their Functions that gradients pass, one of each kind."""
    seen = set()
    for step in run.steps:
        for applied in step.call.applied if isinstance(step.call, Called) else ():
            given = (*applied.args, *applied.named.values())
            kind = (applied.owner, tuple(map(_kind, given)), applied.needs, tuple(applied.named))
            if kind not in seen and any(applied.needs) and any(applied.outputs):
                seen.add(kind)
                yield step, applied


def _kind(arg: Any) -> Any:
    return (arg.shape, arg.dtype) if isinstance(arg, torch.Tensor) else type(arg)


def _examination(run: Run, step: LiveStep, applied: Applied) -> Examination:
    text = run.program.source[step.expr.span]
    place = written.class_place(applied.owner)
    made = Examination(applied.owner.__name__, text, place, leaves=leaves(run, step))
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
    try:
        return _of_trial(made, run, step, trial)
    except Exception as error:
        raised = place_of(error, Path(applied.owner.forward.__code__.co_filename).parent)
        if raised is None:  # which is none of their doing
            raise
        said = f"could not be looked at: it raises {type(error).__name__}: {first_line(error)}"
        return replace(made, concerns=(Concern("not-examined", said, f"{shown(raised[0])}:{raised[1]}"),))


def _of_trial(made: Examination, run: Run, step: LiveStep, trial: Trial) -> Examination:
    passed = trial.backward(trial.values, trial.ones())
    elements = sum(trial.values[i].numel() for i in trial.slots)
    if passed.error is None and elements <= _LARGE:
        found = tuple(
            replace(slot, leaves=leaves_by(run, step, trial.applied, slot.position))
            for slot in slots(run, step.expr, trial)
        )
        smooth = len(found) == len(trial.slots) and all(slot.verdict in _SMOOTH for slot in found)
        order = second_order(trial) if smooth else Order()
    else:
        found, order = (), Order()
    said = concerns(trial, passed)
    if passed.error is None and elements <= _LARGE and len(found) < len(trial.slots):
        missing = ", ".join(trial.names[i] for i in trial.slots if i not in {slot.position for slot in found})
        words = f"there are no differences to hold the gradient of {missing} against"
        said = (*said, Concern("not-examined", words, made.place))
    if order.missed:
        said = (*said, Concern("not-examined", order.missed))
    if elements > _LARGE:
        words = f"its values are looked at in the whole alone, since its inputs have {elements:,} elements"
        said = (*said, Concern("not-examined", words, made.place))
    if passed.error is not None and not any(each.wrong for each in said):
        words = f"torch refuses what backward returns: {first_line(passed.error)}"
        said = (Concern("refused", words, written.returned(trial.owner, 1), True), *said)
    made = replace(
        made,
        slots=found,
        concerns=_with_order(said, order.verdict),
        second=order.verdict,
        second_sentence=order.sentence,
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
    if not made.fails:
        return _of_order(made) if made.second is Verdict.WRONG else ""
    places = [slot.place.partition(",")[0] for slot in made.wrong] or [
        each.place for each in made.causes[-1:]
    ]
    listed = " and ".join(dict.fromkeys(filter(None, places))) or made.place
    if made.wrong and not made.causes and all(_is_straight(slot) for slot in made.wrong):
        return f"{_ALLOW}   if that is meant; else mend {listed}"
    then = f", then {_of_order(made)}" if made.second is Verdict.WRONG else ""
    return f"mend {listed} and run this again{then}"


def _is_straight(slot: Slot) -> bool:
    return any(each.endswith(STRAIGHT) for each in slot.patterns)


def _of_order(made: Examination) -> str:
    """How a second order becomes right."""
    kept = next((each for each in made.concerns if each.name.endswith("-intermediate")), None)
    if kept is not None:
        where = f" ({kept.place})" if kept.place else ""
        return f"recompute what is kept{where} in backward, from saved inputs"
    return "write backward with functions of torch on what save_for_backward kept, nothing of it detached"
