"""Cancellation: what a known expression loses in the run's dtype, and what the better form of it loses."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.numerics import forms, unnamed
from autograd_cli.diagnose.numerics.played import Index, Played, played
from autograd_cli.diagnose.numerics.proving import run_again
from autograd_cli.diagnose.numerics.telling import number, operands_at
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.scene import Scene
from autograd_cli.report import Finding, Fix
from autograd_cli.run.tape import LiveStep
from autograd_cli.run.values import dtype_name

_OFF = {torch.float64: 1e-10, torch.float32: 1e-4, torch.float16: 0.05, torch.bfloat16: 0.25}
"""From which relative error on a number is called lost, by dtype."""

_DIGITS = {torch.float64: 16, torch.float32: 7, torch.float16: 3, torch.bfloat16: 2}

_MANY = 10

_BETTER = 10.0
"""How many times less a better form must lose."""

_EXACT = ("sqrt(A) - sqrt(B)", "A**2 - B**2", "1 / A - 1 / B")
"""Forms that are better only of operands that are exact themselves, which float64 cannot show of itself."""


@dataclass(frozen=True)
class Off:
    """The worst element of a quantity: the value's ("") or a leaf's gradient, by its relative error."""

    name: str
    index: Index
    own: float
    exact: float
    error: float


def findings(scene: Scene) -> Iterator[Finding]:
    """A finding for each outermost expression that loses digits and has a better form, else one without."""
    found = [match for match in forms.matches(scene) if match.form.loses]
    own = played(scene.run, scene.cotangent) if found or _subtracts(scene) else None
    reference = played(scene.run, scene.cotangent, double=True) if own is not None else None
    if own is None or reference is None:
        return
    if not all(bool(each.isfinite().all()) for each in own.gradients.values()):
        return
    told: set[int] = set()
    for match in sorted(found, key=lambda match: -match.step.index):
        finding = None if match.step.index in told else _judged(scene, match, own, reference)
        if finding is not None:
            told |= match.inside
            yield finding
    if not told:
        yield from _unnamed(scene, own, reference)


def _subtracts(scene: Scene) -> bool:
    """Whether two values that require grad are subtracted: each is rounded before."""
    for index in scene.needed:
        step = scene.run.steps[index]
        if step.function is not None and step.function.name == "sub":
            tensors = [each.value for each in scene.arguments(step)]
            if len(tensors) == 2 and all(isinstance(v, torch.Tensor) and v.requires_grad for v in tensors):
                return True
    return False


def _unnamed(scene: Scene, own: Played, reference: Played) -> Iterator[Finding]:
    """A difference without a better form, where the output or a gradient is off by much."""
    if own.output.dtype == torch.float64 or not unnamed.is_felt(own, reference):
        return
    step = unnamed.guilty(own, reference)
    if step is None:
        return
    dtype = own.made(step).dtype
    offs = [pair[0] for pair in _compared(own, own, reference) if step.index != own.root or pair[0].name]
    lost, here = max(offs, key=lambda off: off.error), _of_step(own, reference, step)
    yield scene.finding(
        "AGX506",
        f"{drawing.quoted(scene.text(step))} loses digits in {dtype_name(dtype)}: "
        f"{_sentence('the value', here, dtype_name(dtype))}.",
        span=step.expr.span,
        cause=(
            *_numbers(scene, own, step, here.index),
            f"so {_sentence(_named(scene, lost), lost, dtype_name(dtype))}",
        ),
        fix=(unnamed.fix(own, step),),
        off=lost.error,
    )


def _judged(scene: Scene, match: forms.Match, own: Played, reference: Played) -> Finding | None:
    """The finding of one expression; None where nothing is lost, or the better form is not better."""
    dtype = own.made(match.step).dtype
    limit, is_double = _OFF.get(dtype, 1.0), dtype == torch.float64
    if is_double and match.form.pattern in _EXACT and not _is_exact(scene, match):
        return None
    if not is_double and _of_step(own, reference, match.step).error < limit:
        return None
    span, text = forms.edit(scene, match)
    program = edited(scene.source, {span: text})
    made = run_again(scene, program)
    after = played(made, scene.cotangent) if made is not None else None
    if after is None or set(after.leaves) != set(own.leaves):
        return None
    pairs = list(_compared(own, after, after if is_double else reference))
    lost = [pair for pair in pairs if pair[0].error >= limit and pair[1].error * _BETTER <= pair[0].error]
    lost.sort(key=lambda pair: (pair[1].error >= limit, -pair[0].error))
    here = None if is_double else _of_step(own, reference, match.step)
    return _finding(scene, match, (own, here), lost, (text, program)) if lost else None


def _is_exact(scene: Scene, match: forms.Match) -> bool:
    given = (each.value for each in match.operands.values())
    return all(not hasattr(v, "index") or scene.run.steps[v.index].kind == "binding" for v in given)


def _compared(own: Played, after: Played, reference: Played) -> Iterator[tuple[Off, Off]]:
    """The worst element of each quantity, by what is written and by the better form."""
    before, better, exact = own.gradients, after.gradients, reference.gradients
    yield _worst(own.output, reference.output, ""), _worst(after.output, reference.output, "")
    for name, gradient in before.items():
        if name in better and name in exact:
            yield _worst(gradient, exact[name], name), _worst(better[name], exact[name], name)


def _worst(own: torch.Tensor, exact: torch.Tensor, name: str) -> Off:
    own, exact = own.detach().double(), exact.detach().double()
    if own.shape != exact.shape or not own.numel():
        return Off(name, (), 0.0, 0.0, 0.0)
    known = own.isfinite() & exact.isfinite() & (exact != 0)
    error = torch.where(known, (own - exact).abs() / exact.abs(), 0.0)
    place = tuple(int(i) for i in torch.unravel_index(error.argmax(), error.shape))
    return Off(name, place, float(own[place]), float(exact[place]), float(error[place]))


def _of_step(own: Played, reference: Played, step: LiveStep) -> Off:
    """The worst element of what a step gave."""
    return _worst(own.made(step), reference.values[step.index], "")


def _finding(
    scene: Scene,
    match: forms.Match,
    played_: tuple[Played, Off | None],
    pairs: list[tuple[Off, Off]],
    edit: tuple[str, str],
) -> Finding:
    """The finding; its sentence has the expression's own numbers where float64 tells them."""
    (own, here), (text, program), (lost, kept) = played_, edit, pairs[0]
    dtype = dtype_name(own.made(match.step).dtype)
    others = [off for off, _ in pairs]
    if here is None:
        said = _sentence(_named(scene, others.pop(0)), lost, dtype)
    else:
        said = _sentence("the value", here, dtype)
        others = [off for off in others if off.name or match.step.index != own.root]
    return scene.finding(
        "AGX506",
        f"{drawing.quoted(scene.text(match.step))} loses digits in {dtype}: {said}.",
        span=match.step.expr.span,
        cause=(
            *_explained(scene, match, own, (here or lost).index),
            *(f"so {_sentence(_named(scene, other), other, dtype)}" for other in others),
        ),
        fix=(
            Fix(
                f"{text} is the same number: {_named(scene, lost)} is then {percent(kept.error)} off", program
            ),
        ),
        form=forms.shown(match.form.pattern),
        better=forms.shown(match.form.better),
        off=lost.error,
        after=kept.error,
    )


def _named(scene: Scene, off: Off) -> str:
    """What a quantity is called."""
    return f"the gradient of `{off.name}`" if off.name else f"the value of {drawing.quoted(scene.output)}"


def _sentence(what: str, lost: Off, dtype: str) -> str:
    """The number that a quantity has and the one that it should have."""
    place = f" at [{', '.join(map(str, lost.index))}]" if lost.index else ""
    by = "the better form has" if dtype == "float64" else "float64 has"
    own, exact = number(lost.own), number(lost.exact)
    if own == exact:  # they differ in digits that are not usual to show
        own, exact = f"{lost.own:.16g}", f"{lost.exact:.16g}"
    return f"{what} is {own}{place}, where {by} {exact}: {percent(lost.error)} off"


def percent(share: float) -> str:
    """A relative error in words: "100 %", "3e-06 %"."""
    if share > _MANY:
        return f"more than {100 * _MANY} %"
    return f"{100 * share:.0f} %" if share >= 1 else f"{100 * share:.2g} %"


def _explained(scene: Scene, match: forms.Match, own: Played, index: Index) -> Iterator[str]:
    return _numbers(scene, own, _guilty(scene, match), index)


def _numbers(scene: Scene, own: Played, step: LiveStep, index: Index) -> Iterator[str]:
    """The numbers that are nearly equal, or of which one is too small to be seen beside the other."""
    shape = own.made(step).shape
    place = index if len(index) == len(shape) else _least(own.made(step))
    said = [f"{drawing.quoted(t)} is {value:.9g}" for t, value in operands_at(scene, own, step, place)]
    if said:
        where = f" at [{', '.join(map(str, place))}]" if place else ""
        made = float(own.made(step)[place])
        yield f"{drawing.quoted(scene.text(step))} is {made:.9g}{where}, where {' and '.join(said)}"
    dtype = own.made(step).dtype
    digits = f"{dtype_name(dtype)} keeps about {_DIGITS.get(dtype, 7)} digits"
    if step.function is not None and step.function.name == "add":
        yield f"{digits} of a sum: the rest of the smaller number is gone"
    else:
        yield f"{digits} of each: of those that they share nothing is left in the difference"


def _guilty(scene: Scene, match: forms.Match) -> LiveStep:
    """The sum or difference inside what was matched: the outermost one."""
    names = ("sub", "add", "subtract")
    inside = [scene.run.steps[index] for index in sorted(match.inside, reverse=True)]
    return next((step for step in inside if step.function and step.function.name in names), match.step)


def _least(value: torch.Tensor) -> Index:
    """The element of the smallest size."""
    return tuple(int(i) for i in torch.unravel_index(value.detach().abs().argmin(), value.shape))
