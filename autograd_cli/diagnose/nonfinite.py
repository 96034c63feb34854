"""NaN and infinity in a gradient: which element, which node, which product."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan
from typing import Any

import torch

from autograd_cli.diagnose import drawing, overflow, repair
from autograd_cli.diagnose.overflow import first_not_finite
from autograd_cli.diagnose.scene import Scene
from autograd_cli.diagnose.statements import called, expressions
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.report import Finding, Fix, Gradient, Node, Summary
from autograd_cli.run.tape import LiveStep, filled

_ROOTS = {"sqrt", "rsqrt", "pow", "norm", "hypot"}
_LOGS = {"log", "log2", "log10", "log1p", "xlogy"}

Index = tuple[int, ...]


@dataclass(frozen=True)
class Bad:
    """The elements of a gradient that are not finite; `first` is None where only counts are known."""

    nan: int
    inf: int
    count: int
    first: Index | None


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
    return isfinite(abs(number)) if isinstance(number, complex) else isfinite(number)


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
    """AGX502 for each binding whose gradient holds NaN or infinity."""
    found = [(each, wrong) for each in scene.gradients if (wrong := _bad_leaf(scene, each)) is not None]
    if found:
        yield _finding(scene, found)


def _bad_leaf(scene: Scene, each: Gradient) -> Bad | None:
    """What is not finite in a gradient; where the report has its summary only, the leaf tells the place."""
    wrong = bad(each.autograd)
    leaf = scene.run.leaves.get(each.name)
    if wrong is None or wrong.first is not None or leaf is None or leaf.grad is None:
        return wrong
    place = (~torch.isfinite(leaf.grad)).nonzero()[0].tolist()
    return replace(wrong, first=tuple(place))


def _finding(scene: Scene, found: list[tuple[Gradient, Bad]]) -> Finding:
    born = _born(scene)
    step = _step_of(scene, born[0]) if born else None
    name, wrong = _name(scene, step, born), found[0][1]
    over = None if name else overflow.overflow(scene)
    place = over.step if over else step
    told = overflow.told(scene, over) if over else _forward(scene)
    return scene.finding(
        "AGX502",
        _sentence(scene, *found[0]) + ".",
        name="value-overflow" if over else name,
        span=place.expr.span if place else None,
        cause=(
            *_explained(scene, step, born),
            *told,
            *(_sentence(scene, *other) for other in found[1:]),
        ),
        fix=tuple(overflow.fixes(scene, over)) if over else _mended(scene, step),
        bindings=[each.name for each, _ in found],
        nan=wrong.nan,
        inf=wrong.inf,
        first=wrong.first,
    )


def _sentence(scene: Scene, each: Gradient, wrong: Bad) -> str:
    leaf = scene.run.leaves.get(each.name)
    where = ""
    if leaf is not None and wrong.first is not None:
        where = f", where `{each.name}` is {_number(leaf.detach()[wrong.first].item())}"
    if wrong.count == 1:
        what = "NaN" if wrong.nan else "infinite"
        return f"The gradient of `{each.name}` is {what}{where}"
    place = "" if not wrong.first else f", the first at [{', '.join(map(str, wrong.first))}]"
    return f"The gradient of `{each.name}` has {_counted(wrong)} of {wrong.count} elements{place}{where}"


def _counted(wrong: Bad) -> str:
    parts = [f"{wrong.nan} NaN"] * bool(wrong.nan) + [f"{wrong.inf} infinite"] * bool(wrong.inf)
    return " and ".join(parts)


def _number(value: Any) -> str:
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def _name(scene: Scene, step: LiveStep | None, born: tuple[Node, Node] | None) -> str:
    """The label of the usual causes, by the function, its operand and what arrived there."""
    if step is None or born is None or step.function is None:
        return ""
    place = bad(born[1].gradient)
    index = place.first if place else None
    if at(born[0].gradient, index) == 0 and _enclosing_where(scene, step):
        return "nan-grad-masked-branch"
    name = step.function.name
    operand = at(born[1].value, index)
    if operand != 0 if operand is not None else not _holds_zero(scene, step):
        return ""
    return "nan-grad-sqrt-at-zero" if name in _ROOTS else "nan-grad-log-at-zero" if name in _LOGS else ""


def _holds_zero(scene: Scene, step: LiveStep) -> bool:
    """Whether a tensor that went into a step has an element 0, where no single one is known."""
    values = (each.value for each in scene.arguments(step))
    return any(bool((value == 0).any()) for value in values if isinstance(value, torch.Tensor))


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
    worst = min(guilty, key=lambda edge: _harmless(scene, by_id[edge.from_], by_id[edge.to]))
    return by_id[worst.from_], by_id[worst.to]


def _harmless(scene: Scene, node: Node, below: Node) -> int:
    """0 where an operand of 0 gives an infinite factor, 1 for another infinite one, 2 else."""
    place = bad(below.gradient)
    index = place.first if place else None
    factor = _factor(scene, node, below, index)
    if factor is None or _finite(factor):
        return 2
    return int(at(below.value, index) != 0)


def _step_of(scene: Scene, node: Node) -> LiveStep | None:
    """The call that made a node."""
    calls = [s for s in scene.run.steps if s.kind == "call" and tuple(s.expr.span) == tuple(node.span)]
    return calls[-1] if calls else None


def _factor(scene: Scene, node: Node, below: Node, index: Index | None) -> float | None:
    """The local factor of an elementwise call at one element, by asking torch for it alone."""
    step = _step_of(scene, node)
    if step is None or step.call is None or index is None:
        return None
    if step.function is None or step.function.kind is not Kind.ELEMENTWISE:
        return None
    try:
        values = [_apart(each, is_below) for each, is_below in _operands(scene, step, below)]
        wanted = next((v for v in values if isinstance(v, torch.Tensor) and v.requires_grad), None)
        if wanted is None or len(index) != wanted.ndim:
            return None
        if step.function.writes:  # torch writes into no leaf
            values = [_copy(value) for value in values]
        made = step.call(*filled(step.args, values), **filled(step.kwargs, values))
        (found,) = torch.autograd.grad(made.sum(), wanted, allow_unused=True)
        return None if found is None else float(found[index])
    except Exception:  # what torch does not take alone has no factor that is known
        return None


def _operands(scene: Scene, step: LiveStep, below: Node) -> Iterator[tuple[Any, bool]]:
    """The values before a step, as they were when it was made; of each whether it is that of `below`."""
    before = scene.run.steps[: step.index]
    writes = any(each.function is not None and each.function.writes for each in scene.run.steps)
    values = _made_anew(before) if writes else [each.value for each in before]
    for each, value in zip(before, values, strict=True):
        yield value, tuple(each.expr.span) == tuple(below.span)


def _made_anew(steps: Sequence[LiveStep]) -> list[Any]:
    """The values of steps computed again on copies, since what was recorded is written over by now."""
    values: list[Any] = []
    with torch.no_grad():
        for step in steps:
            if step.call is None or step.held or step.random_state is not None:
                values.append(_copy(step.value))
            else:
                values.append(step.call(*filled(step.args, values), **filled(step.kwargs, values)))
    return values


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def _apart(value: Any, wanted: bool) -> Any:
    """A tensor cut out of the run's graph; a fresh leaf where it is the `wanted` one."""
    if not isinstance(value, torch.Tensor):
        return value
    cut = value.detach()
    return cut.clone().requires_grad_() if wanted and cut.is_floating_point() else cut


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
    factor = _factor(scene, node, below, index)
    if arriving is not None and factor is not None:
        yield f"{text}  arriving {_number(arriving)} × local factor {_number(factor)} = {_number(made)}"
    elif arriving is not None:
        yield f"{text}  {_number(arriving)} arrives, {_number(made)} leaves"


def _forward(scene: Scene) -> Iterator[str]:
    """The first expression whose value is not finite though its operands are."""
    step = first_not_finite(scene)
    if step is not None:
        yield f"the value of {drawing.quoted(scene.text(step))} is not finite either"


# The repair of torch.where


def _enclosing_where(scene: Scene, step: LiveStep) -> nodes.Call | None:
    """The call of where in one of whose branches the step stands."""
    span = step.expr.span
    for node in expressions(scene.run.program):
        if not isinstance(node, nodes.Call) or len(node.args) != 3 or called(node) != "where":
            continue
        if any(b.span.start <= span.start and span.end <= b.span.end for b in node.args[1:]):
            return node
    return None


def _mended(scene: Scene, step: LiveStep | None) -> tuple[Fix, ...]:
    """The source with a harmless operand put in where the branch is not taken."""
    call = _enclosing_where(scene, step) if step else None
    operand = _operand(step) if step else None
    if step is None or call is None or operand is None:
        return ()
    test, then, _ = call.args
    chosen = then.span.start <= step.expr.span.start and step.expr.span.end <= then.span.end
    inner, condition = scene.source[operand.span], scene.source[test.span]
    where = scene.source[call.function.span]
    safe = f"{where}({condition}, {inner}, 1.)" if chosen else f"{where}({condition}, 1., {inner})"
    program = repair.edited(scene.source, {operand.span: safe})
    return (Fix("where the branch is not taken, its operand is 1 instead", program),)


def _operand(step: LiveStep) -> nodes.Expr | None:
    """The operand that is at fault: a function's first, the divisor, the base of a power."""
    expr = step.expr
    if isinstance(expr, nodes.Binary):
        return expr.right if expr.op == "/" else expr.left
    if not isinstance(expr, nodes.Call):
        return None
    if expr.args:
        return expr.args[0]
    return expr.function.value if isinstance(expr.function, nodes.Attribute) else None
