"""What is said of NaN and infinity: the value and the products where they begin, in numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.numerics.births import (
    Born,
    Meeting,
    Spoilt,
    first,
    first_nan,
    follows,
    meeting,
    spoilt,
)
from autograd_cli.diagnose.numerics.edges import plain_name
from autograd_cli.diagnose.numerics.elements import Focus, belonging
from autograd_cli.diagnose.numerics.masks import Chosen, chooser
from autograd_cli.diagnose.numerics.played import Index, Number, Played, number_of
from autograd_cli.diagnose.scene import Scene
from autograd_cli.report import below
from autograd_cli.run.tape import LiveStep

_ROOTS = {"sqrt", "rsqrt", "pow", "float_power", "norm", "hypot", "vector_norm"}
_LOGS = {"log", "log2", "log10", "log1p", "xlogy", "entr"}

_WHY = {
    "softmax": "all that it is given there is -inf, whose exponentials sum to 0: 0 / 0",
    "log_softmax": "all that it is given there is -inf, whose exponentials sum to 0",
    "std": "of one number there is no spread: what is summed is divided by n - 1 = 0",
    "var": "of one number there is no spread: what is summed is divided by n - 1 = 0",
    "log": "real logarithms are of numbers above 0",
    "sqrt": "real roots are of numbers from 0 on",
    "pow": "a fractional power of a number below 0 is not real",
}
"""Why a value is NaN, by the function."""


@dataclass(frozen=True)
class Cause:
    """Where what is not finite begins: in a value, in a product of the backward, or where parts meet."""

    value: Spoilt | None
    born: Born | None
    then: Born | None
    met: Meeting | None
    chosen: Chosen | None

    @property
    def step(self) -> LiveStep | None:
        """The call to blame: the one whose value is not finite where it is, else that of the product."""
        if self.born is not None and (self.value is None or self.chosen is not None):
            return self.born.step
        return self.value.step if self.value is not None else None


def cause(one: Played, focus: Focus | None = None) -> Cause:
    """Where it begins, by what was made again: of what the element `focus` of a leaf goes into, if given."""
    value = spoilt(one, focus)
    born = first(one, focus, value)
    if value is None and (born is None or (born.factor is not None and born.factor != born.factor)):
        value = spoilt(one, near=(born.out if born is not None else None) or ())
    then = follows(one, born, focus) if born is not None else None
    met = meeting(one, focus) if born is not None and then is None and born.made == born.made else None
    if focus is not None and met is None and not _is_nan_told(one, focus, born, then):
        made = first_nan(one, focus)
        born, then = (made or born, None) if value is not None else (born, then or made)
    chosen = chooser(one, born) if born is not None and born.arriving == 0 else None
    return Cause(value, born, then, met, chosen)


def _is_nan_told(one: Played, focus: Focus, born: Born | None, then: Born | None) -> bool:
    """Whether a gradient's element is no NaN, or one of the products is that became one."""
    gradient = one.gradients.get(focus.leaf)
    if gradient is None or not bool(gradient[focus.index].isnan()):
        return True
    return any(each is not None and each.made != each.made for each in (born, then))


def cause_of(one: Played, leaf: str, wrong: torch.Tensor) -> tuple[Cause, Index | None]:
    """Where what is not finite in a leaf's gradient begins, and of which of its marked elements that is told.

    Of the first, if anything is known of that.
    """
    at: Index = tuple(wrong.nonzero()[0].tolist())
    found = cause(one, Focus(leaf, at))
    told = belongs(one, found, leaf, wrong)
    if told is None or told == at:
        return found, told
    found = cause(one, Focus(leaf, told))
    return found, belongs(one, found, leaf, wrong)


def belongs(one: Played, found: Cause, leaf: str, wrong: torch.Tensor) -> Index | None:
    """The element of a leaf, of those marked, that the cause is told of; None where none is known."""
    born, value = found.born, found.value
    if born is not None and found.step is born.step:
        return belonging(one, born.operand, born.index, leaf, wrong)
    return None if value is None else belonging(one, value.step.index, value.index, leaf, wrong)


def name(one: Played, found: Cause) -> str:
    """The label of the usual causes; the empty string for others."""
    if found.chosen is not None and found.chosen.test is not None:
        return "nan-grad-masked-branch"
    born, step = found.born, found.step
    if step is None:
        return "nan-value"
    if born is not None and born.step is step:
        at_zero = born.value == 0
    else:
        at_zero = any(
            number == 0 for _, number in _numbers(one, step, found.value.index if found.value else ())
        )
    function = plain_name(step.function.name) if step.function else ""
    if not at_zero:
        return "" if born is not None else "nan-value"
    if function in _ROOTS and not _is_inverse(step):
        return "nan-grad-sqrt-at-zero"
    return "nan-grad-log-at-zero" if function in _LOGS else ""


def _is_inverse(step: LiveStep) -> bool:
    """Whether a step raises to a power below 0, which is a division."""
    power = step.args[1] if len(step.args) > 1 else None
    return isinstance(power, int | float) and power < 0


def evidence(scene: Scene, found: Cause) -> dict[str, Any]:
    """What a finding holds beside its sentences: the node, the element, the numbers of the product."""
    made: dict[str, Any] = {}
    if found.value is not None:
        made["value"] = {
            "text": scene.text(found.value.step),
            "index": list(found.value.index),
            "is": number(found.value.value),
        }
    if found.born is not None:
        made["product"] = _product(scene, found.born)
    if found.then is not None:
        made["then"] = _product(scene, found.then)
    return made


def _product(scene: Scene, born: Born) -> dict[str, Any]:
    operand = scene.operand(born.step, scene.run.steps[born.operand])
    return {
        "node": node_name(born.step),
        "text": scene.text(born.step),
        "operand": scene.source[operand.span],
        "index": list(born.index),
        "input": number(born.value),
        "arriving": None if born.arriving is None else number(born.arriving),
        "factor": None if born.factor is None else number(born.factor),
        "made": number(born.made),
    }


def told(scene: Scene, one: Played, found: Cause, value_is_told: bool = False) -> Iterator[str]:
    """The lines of a finding; `value_is_told` leaves out the one of the value."""
    if found.value is not None and not value_is_told:
        yield from _of_value(scene, one, found.value)
    if found.born is not None:
        yield from _of_born(scene, found.born, found.value)
    if found.chosen is not None:
        factor = found.born.factor if found.born is not None else None
        by = "nan" if factor is not None and factor != factor else "inf"
        yield f"0 arrives since {_why_0(scene, found.chosen)} there, and 0 × {by} is no 0 but NaN"
    if found.then is not None:
        yield from _of_product(scene, found.then)
    if found.met is not None:
        met, text = found.met, drawing.quoted(scene.text(found.met.step))
        sums = " + ".join(map(number, met.parts)).replace("+ -", "- ")
        yield f"{text} gets {sums} = nan{_placed(met.index)}"


def _why_0(scene: Scene, chosen: Chosen) -> str:
    text = drawing.quoted(scene.text(chosen.step))
    if chosen.factor is not None:
        factor = scene.operand(chosen.step, scene.run.steps[chosen.factor])
        return f"{drawing.quoted(scene.source[factor.span])} is 0"
    if chosen.step.function is not None and chosen.step.function.name == "where":
        return f"{text} takes its other branch"
    return f"{text} passes over it"


def _of_value(scene: Scene, one: Played, found: Spoilt) -> Iterator[str]:
    text = drawing.quoted(scene.text(found.step))
    said = [f"`{drawing.label(t, 40)}` is {number(n)}" for t, n in _texts(scene, one, found)]
    given = f", where {' and '.join(said)}" if said else ""
    function = plain_name(found.step.function.name) if found.step.function else ""
    operands = [one.values[i] for i in below(found.step) if isinstance(one.values[i], torch.Tensor)]
    why = _WHY.get(function, "") if found.value != found.value else ""
    if function == "mean" and any(value.numel() == 0 for value in operands):
        why = "it is the mean of no elements: 0 / 0"
    elif function == "div" and len(said) == 2:
        above, under = (n for _, n in _texts(scene, one, found))
        why = f"{number(above)} / {number(under)}"
    yield f"the value of {text} is {number(found.value)}{_placed(found.index)}{given}{': ' * bool(why)}{why}"


def _of_product(scene: Scene, born: Born, with_operand: bool = True) -> Iterator[str]:
    text = drawing.label(scene.text(born.step))
    operand = scene.operand(born.step, scene.run.steps[born.operand])
    node = _node(born.step)
    if with_operand:
        yield (
            f"{text}  {node}its operand {drawing.quoted(scene.source[operand.span])} is "
            f"{number(born.value)}{_placed(born.index)}"
        )
    if born.arriving is not None and born.factor is not None:
        yield (
            f"{text}  arriving {number(born.arriving)} × local factor {number(born.factor)} = "
            f"{number(born.arriving * born.factor)}"
        )
    elif born.arriving is not None:
        yield f"{text}  {number(born.arriving)} arrives, {number(born.made)} leaves"
    else:
        yield f"{text}  finite numbers arrive, {number(born.made)} leaves{_placed(born.index)}"


def of_other(scene: Scene, one: Played, found: Cause, focus: Focus) -> Iterator[str]:
    """The product that makes an element of another leaf NaN, unless that is told or the value tells it."""
    gradient = one.gradients.get(focus.leaf)
    if gradient is None or not bool(gradient[focus.index].isnan()):
        return
    made = first_nan(one, focus)
    if made is not None and made not in (found.born, found.then):
        yield from _of_born(scene, made, found.value)


def _of_born(scene: Scene, born: Born, value: Spoilt | None) -> Iterator[str]:
    """The product, unless it is that of a value told already, which is no number itself."""
    if value is None or born.factor is None or born.factor == born.factor:
        yield from _of_product(scene, born, with_operand=value is None or value.step is not born.step)


def _node(step: LiveStep) -> str:
    return f"{step.grad_fns[-1].name().split('::')[-1]}: " if step.grad_fns else ""


def node_name(step: LiveStep) -> str:
    """The class of the node that a step made."""
    return _node(step).removesuffix(": ")


def _placed(index: Index) -> str:
    return f" at [{', '.join(map(str, index))}]" if index else ""


def number(value: Number) -> str:
    """A number as sentences have it."""
    return f"{value:.7g}"


def _numbers(one: Played, step: LiveStep, index: Index) -> Iterator[tuple[int, Number]]:
    """The operands of an elementwise step that count at an element, and their numbers there."""
    shape = one.values[step.index].shape
    for each in dict.fromkeys(below(step)):
        value = one.operand(step, each)
        if not isinstance(value, torch.Tensor) or len(index) != len(shape):
            continue
        try:
            yield each, number_of(value.broadcast_to(shape)[index])
        except RuntimeError:
            continue


def operands_at(scene: Scene, one: Played, step: LiveStep, index: Index) -> Iterator[tuple[str, Number]]:
    """The tensors that a step was given, as they are written, with their numbers at an element."""
    for each, value in _numbers(one, step, index):
        node = scene.operand(step, scene.run.steps[each])
        yield scene.source[node.span], value


def _texts(scene: Scene, one: Played, found: Spoilt) -> Iterator[tuple[str, Number]]:
    yield from operands_at(scene, one, found.step, found.index)
