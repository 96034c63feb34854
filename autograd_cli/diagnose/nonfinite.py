"""NaN and infinity in a gradient: which element, which node, which product."""

import cmath
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

import torch

from autograd_cli.diagnose import drawing, overflow
from autograd_cli.diagnose.overflow import first_not_finite
from autograd_cli.diagnose.scene import Scene
from autograd_cli.report import Finding, Gradient, Node, Summary
from autograd_cli.run.tape import LiveStep

if TYPE_CHECKING:
    from autograd_cli.diagnose.numerics.played import Played
    from autograd_cli.diagnose.numerics.telling import Cause

Index = tuple[int, ...]


@dataclass(frozen=True)
class Bad:
    """The elements of a gradient that are not finite; `first` is None where only counts are known.

    `told` is the one that a finding speaks of, None where that is the first.
    """

    nan: int
    inf: int
    count: int
    first: Index | None
    told: Index | None = None

    @property
    def at(self) -> Index | None:
        """The element that is spoken of."""
        return self.first if self.told is None else self.told


def bad(values: Any) -> Bad | None:
    """What is not finite in plain values or their summary; None where all is finite."""
    if isinstance(values, Summary):
        return Bad(values.nan, values.inf, values.count, None) if values.nan + values.inf else None
    if _all_finite(values):
        return None
    numbers = list(_numbered(values, ()))
    wrong = [(index, number) for index, number in numbers if not _finite(number)]
    if not wrong:
        return None
    nan = sum(_is_nan(number) for _, number in wrong)
    return Bad(nan, len(wrong) - nan, len(numbers), wrong[0][0])


def _all_finite(values: Any) -> bool:
    if type(values) is tuple:
        return all(map(_all_finite, values))
    return values is None or _finite(values)


def _numbered(values: Any, index: Index) -> Iterator[tuple[Index, Any]]:
    if isinstance(values, tuple | list):
        for i, item in enumerate(values):
            yield from _numbered(item, (*index, i))
    elif values is not None:
        yield index, values


def flat(values: Any) -> Iterator[Any]:
    """The numbers of plain values, the bounds of a summary."""
    if isinstance(values, Summary):
        values = (values.min, values.max)
    return (number for _, number in _numbered(values, ()))


def _finite(number: Any) -> bool:
    return cmath.isfinite(number) if isinstance(number, complex) else isfinite(number)


def _is_nan(number: Any) -> bool:
    return number != number if isinstance(number, complex) else isnan(number)


def at(values: Any, index: Index | None) -> Any:
    """The number at `index`; the number itself where there is one only; None where unknown."""
    if index is None or values is None or isinstance(values, Summary):
        return None
    for i in index if isinstance(values, tuple) else ():
        if not isinstance(values, tuple):
            return None
        values = values[i]
    return None if isinstance(values, tuple) else values


# The finding


def gradient(scene: Scene) -> Iterator[Finding]:
    """AGX502 for each binding whose gradient holds NaN or infinity, or for a value that is NaN without."""
    found = [(each, wrong) for each in scene.gradients if (wrong := _bad_leaf(scene, each)) is not None]
    if found:
        yield _finding(scene, found)
    else:
        yield from _lost_value(scene)


def _bad_leaf(scene: Scene, each: Gradient) -> Bad | None:
    """What is not finite in a gradient; where the report has its summary only, the leaf tells the place."""
    wrong = bad(each.autograd)
    leaf = scene.run.leaves.get(each.name)
    if wrong is None or wrong.first is not None or leaf is None or leaf.grad is None:
        return wrong
    place = (~torch.isfinite(leaf.grad)).nonzero()[0].tolist()
    return replace(wrong, first=tuple(place))


def _finding(scene: Scene, found: list[tuple[Gradient, Bad]]) -> Finding:
    from autograd_cli.diagnose.numerics import played, rewrites, telling  # few gradients need them

    one = played.played(scene.run, scene.cotangent)
    cause = _cause(one, found[0][0].name) if one is not None else None
    if one is None or cause is None or cause.step is None:
        return _read_off(scene, found)
    found = [(each, _told_at(one, cause, each, wrong)) for each, wrong in found]
    name, over, wrong = telling.name(one, cause), _overflow(scene, cause), found[0][1]
    mended = rewrites.fixes(scene, one)
    lines = [*(overflow.told(scene, over) if over else ()), *telling.told(scene, one, cause, bool(over))]
    for each, other in found[1:]:
        lines += [_sentence(scene, each, other), *_other(scene, one, cause, each.name, other)]
    place = over.step if over else cause.step
    return scene.finding(
        "AGX502",
        _sentence(scene, *found[0]) + ".",
        name="value-overflow" if over else name if name != "nan-value" else "",
        span=place.expr.span,
        cause=lines if mended else (*lines, _NO_REWRITE),
        fix=mended or (tuple(overflow.fixes(scene, over)) if over else ()),
        bindings=[each.name for each, _ in found],
        nan=wrong.nan,
        inf=wrong.inf,
        first=wrong.first,
        at=wrong.at,
        **telling.evidence(scene, cause),
    )


def _cause(one: "Played", leaf: str) -> "Cause":
    """Where it begins, told of an element of the leaf's gradient where that is known."""
    from autograd_cli.diagnose.numerics import telling

    gradient = one.gradients.get(leaf)
    wrong = None if gradient is None else _marked(gradient)
    return telling.cause(one) if wrong is None or not wrong.any() else telling.cause_of(one, leaf, wrong)[0]


def _marked(gradient: torch.Tensor) -> torch.Tensor:
    """The elements to tell of: those that are NaN, else those that are infinite."""
    nan = gradient.isnan()
    return nan if bool(nan.any()) else ~gradient.isfinite()


def _other(scene: Scene, one: "Played", cause: "Cause", leaf: str, wrong: Bad) -> Iterator[str]:
    """What makes the element of another leaf that is spoken of NaN, where that is a product of its own."""
    from autograd_cli.diagnose.numerics import elements, telling

    if wrong.at is not None and leaf in one.gradients:
        yield from telling.of_other(scene, one, cause, elements.Focus(leaf, wrong.at))


def _told_at(one: "Played", cause: "Cause", each: Gradient, wrong: Bad) -> Bad:
    """What is not finite in a gradient, told at the element that the cause is told of."""
    from autograd_cli.diagnose.numerics import telling

    gradient = one.gradients.get(each.name)
    if gradient is None or wrong.first is None:
        return wrong
    marked = _marked(gradient)
    told = telling.belongs(one, cause, each.name, marked)
    return replace(wrong, told=tuple(marked.nonzero()[0].tolist()) if told is None else told)


_NO_REWRITE = "no rewrite is known that makes it finite and leaves the other elements as they are"


def _overflow(scene: Scene, cause: "Cause") -> overflow.Overflow | None:
    """The overflow, where it is that what the finding is about."""
    over = overflow.overflow(scene) if cause.chosen is None and cause.value is not None else None
    return over if over is not None and cause.value is not None and over.step is cause.value.step else None


def _lost_value(scene: Scene) -> Iterator[Finding]:
    """The output is NaN or has overflown, of nothing such that was given, though the gradients are finite."""
    value = scene.run.output
    if not isinstance(value, torch.Tensor) or value.is_meta or not value.is_floating_point():
        return
    if not scene.gradients or bool(value.detach().isfinite().all()):
        return
    from autograd_cli.diagnose.numerics import played, rewrites, telling  # few values are not finite

    one = played.played(scene.run, scene.cotangent)
    cause = telling.cause(one) if one is not None else None
    if one is None or cause is None or cause.value is None:
        return
    over, is_nan = _overflow(scene, cause), bool(value.detach().isnan().any())
    if over is None and not is_nan and value.numel() > 1:
        return  # log(0) is -inf, and right; a loss is not
    mended = rewrites.fixes(scene, one)
    lines = [*(overflow.told(scene, over) if over else ()), *telling.told(scene, one, cause, bool(over))]
    what = "NaN" if is_nan else "infinite"
    yield scene.finding(
        "AGX502",
        f"{drawing.quoted(scene.output)} is {what}: its gradients, though finite, are of no number.",
        name="value-overflow" if over else telling.name(one, cause) or "nan-value",
        span=cause.value.step.expr.span,
        cause=lines if mended else (*lines, _NO_REWRITE),
        fix=mended or (tuple(overflow.fixes(scene, over)) if over else ()),
        leaves=[each.name for each in scene.gradients],
        **telling.evidence(scene, cause),
    )


def _read_off(scene: Scene, found: list[tuple[Gradient, Bad]]) -> Finding:
    """What the graph alone tells, where the run cannot be made again."""
    born = _born(scene)
    step = _step_of(scene, born[0]) if born else None
    wrong = found[0][1]
    return scene.finding(
        "AGX502",
        _sentence(scene, *found[0]) + ".",
        span=step.expr.span if step else None,
        cause=(
            *_explained(scene, step, born),
            *_forward(scene),
            *(_sentence(scene, *other) for other in found[1:]),
            _NO_REWRITE,
        ),
        bindings=[each.name for each, _ in found],
        nan=wrong.nan,
        inf=wrong.inf,
        first=wrong.first,
    )


def _sentence(scene: Scene, each: Gradient, wrong: Bad) -> str:
    leaf = scene.run.leaves.get(each.name)
    where = ""
    if leaf is not None and wrong.at is not None:
        where = f", where `{each.name}` is {_number(leaf.detach()[wrong.at].item())}"
    if wrong.count == 1:
        what = "NaN" if wrong.nan else "infinite"
        return f"The gradient of `{each.name}` is {what}{where}"
    which = "the first at" if wrong.at == wrong.first else "one of them at"
    if wrong.nan and wrong.inf:
        which = "NaN at" if wrong.told is not None else which
    place = "" if not wrong.at else f", {which} [{', '.join(map(str, wrong.at))}]"
    return f"The gradient of `{each.name}` has {_counted(wrong)} of {wrong.count} elements{place}{where}"


def _counted(wrong: Bad) -> str:
    parts = [f"{wrong.nan} NaN"] * bool(wrong.nan) + [f"{wrong.inf} infinite"] * bool(wrong.inf)
    return " and ".join(parts)


def _number(value: Any) -> str:
    return f"{value:.7g}" if isinstance(value, float) else str(value)


# Where it is born


def _born(scene: Scene) -> tuple[Node, Node] | None:
    """The first node, from the output down, that is given finite numbers and passes on others.

    With the node that it passes them to.
    """
    if scene.graph is None:
        return None
    by_id = {node.id: node for node in scene.graph.nodes}
    wrong = {id_ for id_, node in by_id.items() if bad(node.gradient)}
    inherited = {edge.to for edge in scene.graph.edges if edge.from_ in wrong}
    guilty = [e for e in scene.graph.edges if e.to in wrong and e.to not in inherited]
    if not guilty:
        return None
    return by_id[guilty[0].from_], by_id[guilty[0].to]


def _step_of(scene: Scene, node: Node) -> LiveStep | None:
    """The call that made a node."""
    calls = [s for s in scene.run.steps if s.kind == "call" and tuple(s.expr.span) == tuple(node.span)]
    return calls[-1] if calls else None


def _explained(scene: Scene, step: LiveStep | None, born: tuple[Node, Node] | None) -> Iterator[str]:
    if step is None or born is None:
        return
    node, below = born
    place = bad(below.gradient)
    index = place.first if place else None
    arriving, value, made = at(node.gradient, index), at(below.value, index), at(below.gradient, index)
    text = drawing.label(scene.text(step))
    if value is not None:
        yield f"{text}  its operand {drawing.quoted(below.text)} is {_number(value)} there"
    if arriving is not None and made is not None:
        yield f"{text}  {_number(arriving)} arrives, {_number(made)} leaves"


def _forward(scene: Scene) -> Iterator[str]:
    """The first expression whose value is not finite though its operands are."""
    step = first_not_finite(scene)
    if step is not None:
        yield f"the value of {drawing.quoted(scene.text(step))} is not finite either"
