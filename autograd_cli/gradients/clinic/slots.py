"""The values of a backward, slot by slot: judged by the witnesses, and what a wrong one looks like."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from autograd_cli.gradients import check as witnesses
from autograd_cli.gradients.backward import Backward
from autograd_cli.gradients.clinic import written
from autograd_cli.gradients.clinic.differences import gradient as measured
from autograd_cli.gradients.clinic.elsewhere import elsewhere
from autograd_cli.gradients.clinic.patterns import Wrong, patterns, stated
from autograd_cli.gradients.clinic.trial import Passed, Trial
from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.grounds.gather import Gatherer
from autograd_cli.gradients.known import Evidence
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Gradient, Ref, Slot, Verdict, Witness
from autograd_cli.run.tape import BoundValue, LiveStep, Run

_FEW = 200
"""Elements of an input up to which its error is compared with patterns."""


_OF_ONES = "it is wrong where grad_output is all ones, and right under a drawn one"
_TINY = 1e-300
"""An error below this is none."""


def slots(run: Run, expr: Expr, trial: Trial) -> Iterator[Slot]:
    """The slots under a cotangent of ones; where that is right, under a drawn one; then at drawn values.

    `only` of a slot says which of these it took for the error to show.
    """
    first = _judged(run, expr, trial, trial.ones())
    other = _judged(run, expr, trial, trial.drawn())
    found, beside = _wrong_first(first, other, "cotangent"), trial
    if any(slot.verdict is not Verdict.WRONG for slot in found.values()):
        for moved in elsewhere(trial):
            found = _wrong_first(found, _judged(run, expr, moved, moved.drawn()), "values")
            beside = moved
    for position in (i for i in trial.slots if i in found):
        slot = found[position]
        at = beside if slot.only == "values" else trial
        yield replace(slot, patterns=_patterns(at, position)) if _is_wrong(slot) else slot


def _wrong_first(first: dict[int, Slot], others: dict[int, Slot], only: str) -> dict[int, Slot]:
    """The slots, in their place the others where these alone are wrong, or all that is known."""
    made = {i: replace(slot, only=only if _is_wrong(slot) else "") for i, slot in others.items()}
    return made | {i: slot for i, slot in first.items() if _is_wrong(slot) or not _is_wrong(made.get(i))}


def _is_wrong(slot: Slot | None) -> bool:
    return slot is not None and slot.verdict is Verdict.WRONG


@dataclass(frozen=True)
class _Noting(Gatherer):
    """Keeps what gradients are judged by, element by element, and adds no grounds."""

    seen: dict[str, Evidence] = field(default_factory=dict)

    def spares(self, bench: Bench) -> bool:
        """Nothing is left out: the inputs are few."""
        return False

    def gathered(
        self,
        bench: Bench,
        gradient: Gradient,
        given: torch.Tensor,
        slopes: Any,
        evidence: Sequence[Evidence],
        arrived: Any,
        judge: Any,
    ) -> Gradient:
        """The gradient as it is."""
        for one in evidence:
            if one.by_component and one.numeric is not None:
                self.seen[gradient.name] = one
        return gradient

    def absent(self, bench: Bench, gradient: Gradient) -> Gradient:
        """The gradient as it is."""
        return gradient


def _judged(run: Run, expr: Expr, trial: Trial, cotangents: Sequence[torch.Tensor]) -> dict[int, Slot]:
    """The slots by position; none of which no difference can be had."""
    passed, noting = trial.backward(trial.values, cotangents), _Noting()
    gradients = _gradients(run, expr, trial, passed, cotangents, noting)
    made = {}
    for position, gradient in zip(trial.slots, gradients, strict=True):
        if gradient.verdict is None:
            continue
        made[position] = _slot(trial, position, gradient, passed, noting.seen.get(gradient.name))
    return made


def _gradients(
    run: Run,
    expr: Expr,
    trial: Trial,
    passed: Passed,
    cotangents: Sequence[torch.Tensor],
    noting: _Noting,
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
    options = witnesses.Options(
        witnesses=frozenset({Witness.AUTOGRAD, Witness.NUMERIC}), limit=None, gather=noting
    )
    return witnesses.check(alone, Backward(leaves=given), None, options)


def _or_zeros(passed: Passed, position: int, trial: Trial) -> torch.Tensor:
    """The gradient of a slot; a backward that gives none says 0."""
    made = passed.gradients.get(position)
    return torch.zeros_like(trial.values[position]) if made is None else made


def _slot(trial: Trial, position: int, gradient: Gradient, passed: Passed, evidence: Evidence | None) -> Slot:
    number, shape = position + 1, tuple(trial.values[position].shape)
    slot = Slot(trial.names[position], position, number, shape, gradient.verdict or Verdict.OK)
    if slot.verdict is not Verdict.WRONG:
        return replace(slot, sentence=gradient.sentence)
    stated_at = (written.returned(trial.owner, number), stated(trial.owner.__name__, number))
    place = ", ".join(filter(None, (*stated_at, written.assigned(trial.owner, number))))
    is_none = passed.gradients.get(position) is None
    slot = replace(slot, place=place, sentence=gradient.sentence, is_none=is_none)
    if evidence is None or evidence.numeric is None or gradient.worst is None:
        return slot
    return _with_numbers(slot, trial.values[position], gradient, evidence)


def _with_numbers(slot: Slot, value: torch.Tensor, gradient: Gradient, evidence: Evidence) -> Slot:
    """The slot with how many of its elements are wrong, and both slopes at the one that the verdict is of."""
    assert evidence.numeric is not None
    assert gradient.worst is not None
    numeric, given = (part.reshape(value.shape) for part in (evidence.numeric, evidence.autograd))
    error = None if evidence.numeric_error is None else evidence.numeric_error.reshape(value.shape)
    off = _off(evidence).reshape(value.shape)
    at = gradient.worst
    if not off[at] and bool(off.any()):  # a kink says less than an element that has a slope
        at = tuple(off.nonzero()[0].tolist())
    off[at] = True
    return replace(
        slot,
        wrong=int(off.sum()),
        worst=at,
        value=float(value[at]),
        backward=float(given[at]),
        numeric=float(numeric[at]),
        error_bar=None if error is None or float(error[at]) < _TINY else float(error[at]),
    )


def _off(evidence: Evidence) -> torch.Tensor:
    """The elements (n,) that are further off than rounding and differences explain; none of a kink.

    Where differences come to no end beside those of other elements, as at a root's end, nothing is known.
    """
    numeric, error = evidence.numeric, evidence.numeric_error
    assert numeric is not None
    error = torch.zeros_like(numeric) if error is None else error
    off = (evidence.autograd - numeric).abs() > evidence.allowed + 2 * error
    off |= evidence.autograd.isnan() & numeric.isfinite()
    rough = (error > 1e3 * error.median()) & (error > 0.01 * numeric.abs())
    off[list(evidence.slopes)] = False
    return off & ~rough


def _patterns(trial: Trial, position: int) -> tuple[str, ...]:
    """What the error looks like; nothing is said of an input with too many elements.

    Looked for under a cotangent whose elements differ, where a mean is no row and no sum; of several
    outputs under one for each alone, where the error comes through some of them alone.
    """
    if any(trial.values[i].numel() > _FEW for i in trial.slots):
        return (f"not looked for, since an input has more than {_FEW} elements: try a smaller one",)
    cotangents = trial.drawn()
    if len(cotangents) > 1:
        found = [_under(trial, position, _of_one(cotangents, number)) for number in range(len(cotangents))]
        said = [wrong for wrong in found if wrong is not None and not wrong.is_right]
        if 0 < len(said) < len(found) or len({patterns(wrong) for wrong in said}) > 1:
            return tuple(_through(trial, found))
    whole = _under(trial, position, cotangents)
    if whole is not None and whole.is_right and bool(whole.given.isfinite().all()):
        return (_OF_ONES,)
    return () if whole is None else patterns(whole)


def _of_one(cotangents: Sequence[torch.Tensor], number: int) -> list[torch.Tensor]:
    """The cotangents with all but one being 0."""
    return [sent if i == number else torch.zeros_like(sent) for i, sent in enumerate(cotangents)]


def _under(trial: Trial, position: int, cotangents: Sequence[torch.Tensor]) -> Wrong | None:
    """The gradients under other cotangents; None where backward fails with these."""
    passed = trial.backward(trial.values, cotangents)
    if passed.error is not None:
        return None
    numeric = {i: measured(trial, i, trial.values, cotangents) for i in trial.slots}
    given = {i: _or_zeros(passed, i, trial) for i in trial.slots}
    return Wrong(trial, position, cotangents, given, numeric)


def _through(trial: Trial, found: Sequence[Wrong | None]) -> Iterator[str]:
    """The patterns of the outputs through which the error comes."""
    for output, wrong in zip(trial.weighed, found, strict=True):
        if wrong is not None and not wrong.is_right:
            for said in patterns(wrong):
                yield f"through its {written.ordinal(output + 1)} output: {said}"
