"""Bindings that the output's gradient does not reach, and the expression that cuts the way."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.dividing import PASSED, passed_on, quotients
from autograd_cli.diagnose.outputs import NO_GRAPH, unrecording
from autograd_cli.diagnose.scene import Scene, is_floating
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.source import Source, named
from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.run.tape import LiveStep
from autograd_cli.run.values import tensors_in

_CUTS = {"detach", "data", "detach_"}
_FACTS = {
    "numel",
    "nelement",
    "size",
    "dim",
    "ndimension",
    "stride",
    "storage_offset",
    "element_size",
    "is_contiguous",
    "is_floating_point",
    "is_complex",
    "is_same_size",
    "is_tensor",
    "result_type",
}
"""Functions that tell of a tensor without reading its values."""
_NUMBERS = {"item", "tolist", "float", "int"}
_CASTS = {"long", "int", "short", "bool", "to", "type", "byte", "char"}


def cut(scene: Scene) -> Iterator[Finding]:
    """AGX403 for each expression that ends the only way from a binding to the output.

    One AGX402 in their place where it is an option of the run that nothing is recorded.
    """
    option = unrecording(scene.run.settings.mode)
    if option and not _requires_grad(scene):
        if any(True for _ in endings(scene)):
            yield scene.finding("AGX402", f"Nothing has a gradient: {option}.", torch=NO_GRAPH)
        return
    for step, names in endings(scene):
        if is_flat(step):
            yield weighed(scene, step, staircase(scene, step, names))
        elif not _is_detach(step):
            yield weighed(scene, step, _cut(scene, step, names, "AGX403"))


def detached(scene: Scene) -> Iterator[Finding]:
    """AGX453 for each detach or `.data` that ends the only way from a binding to the output."""
    if _requires_grad(scene) or not unrecording(scene.run.settings.mode):
        for step, names in endings(scene):
            if _is_detach(step) and not is_flat(step):
                yield weighed(scene, step, _cut(scene, step, names, "AGX453"))


def weighed(scene: Scene, step: LiveStep, finding: Finding) -> Finding:
    """The finding; a note where no gradient can have been meant.

    The source is that expression itself, or gives no floating numbers, or hands what it detached to
    functions that have no derivative.
    """
    is_all = step.index == scene.root.index or not is_floating(scene.run.output)
    return replace(finding, severity=Severity.NOTE) if is_all or _ends_anyway(scene, step) else finding


def _ends_anyway(scene: Scene, step: LiveStep) -> bool:
    """Whether all ways on from a detach go through functions without a derivative."""
    above = [each for each in scene.run.steps[step.index + 1 :] if step in scene.arguments(each)]
    if not above or not (_is_detach(step) or step.kind == "call"):
        return False
    return all(
        (each.function and not each.function.differentiable) or _ends_anyway(scene, each) for each in above
    )


def held(scene: Scene) -> Iterator[Finding]:
    """AGX408 for each expression that holds a binding constant on one of its ways to the output."""
    found: dict[int, list[str]] = {}
    for name, its in scene.ways.items():
        if its.arrives:
            for step in filter(_is_meant_as_constant, its.ends):
                found.setdefault(step.index, []).append(name)
    for index, names in found.items():
        step = scene.run.steps[index]
        yield scene.finding(
            "AGX408",
            f"{drawing.quoted(scene.text(step))} counts as a constant: the gradient of {named(names)} leaves "
            f"out what goes through it, {_as_well(scene, names)}.",
            span=step.expr.span,
            bindings=names,
        )


def _as_well(scene: Scene, names: Sequence[str]) -> str:
    """What the other witnesses make of a cut: the numeric one goes through it where that is asked."""
    grounds = [each.grounds for each in scene.gradients if each.name in names and each.grounds]
    if any(one.cuts and one.uncut is None for one in grounds):
        return "and the numeric witness was asked to go through it"
    return "and so do the formula and the numeric witness"


def _is_meant_as_constant(step: LiveStep) -> bool:
    """Whether a step takes values out of the graph: detach, item, a cast to whole numbers."""
    name = step.function.name if step.function else getattr(step.expr, "name", "")
    return name in _CUTS or name in _NUMBERS or (name in _CASTS and not _requires_grad_of(step))


def _requires_grad_of(step: LiveStep) -> bool:
    return any(tensor.requires_grad for tensor in tensors_in(step.value))


def endings(scene: Scene) -> Iterator[tuple[LiveStep, list[str]]]:
    """The first ending of each leaf that does not arrive, with the leaves it ends."""
    found: dict[int, list[str]] = {}
    for name, its in scene.ways.items():
        ends = [step for step in its.ends if not _shape_only(step)]
        if ends and not its.arrives:
            found.setdefault(ends[0].index, []).append(name)
    for index, names in found.items():
        yield scene.run.steps[index], names


def _shape_only(step: LiveStep) -> bool:
    """Whether a step takes from its argument nothing but shape and dtype: zeros_like, size."""
    function = step.function
    return function is not None and (function.kind in (Kind.CREATION, Kind.RANDOM) or function.name in _FACTS)


def is_flat(step: LiveStep) -> bool:
    """Whether a step that ends the way has a grad_fn, whose gradient is 0."""
    return _requires_grad_of(step)


def _is_detach(step: LiveStep) -> bool:
    attribute = isinstance(step.expr, nodes.Attribute) and step.expr.name in _CUTS
    return attribute or (step.function is not None and step.function.name in _CUTS)


def _cut(scene: Scene, step: LiveStep, names: list[str], code: str) -> Finding:
    """A result that has no grad_fn although an argument of it requires grad."""
    get = "gets" if len(names) == 1 else "get"
    return scene.finding(
        code,
        f"{named(names)} {get} no gradient: {drawing.quoted(scene.text(step))} {_reason(step)}.",
        span=step.expr.span,
        torch="" if _requires_grad(scene) else NO_GRAPH,
        fix=tuple(_restored(scene, step)),
        also=() if _requires_grad(scene) else ("loss-has-no-grad-path",),
        bindings=names,
    )


def _requires_grad(scene: Scene) -> bool:
    return any(tensor.requires_grad for tensor in tensors_in(scene.run.output))


def _reason(step: LiveStep) -> str:
    value = step.value
    tensors = tensors_in(value)
    if _is_detach(step):
        return "gives the values as constants, outside the graph"
    if not tensors:
        return f"is a Python {type(value).__name__}, which is outside torch's graph"
    if tensors[0].dtype == torch.bool:
        return "gives truth values, which do not change when its operands change a little"
    if not is_floating(tensors[0]):
        return "gives whole numbers, which do not change when its operands change a little"
    return "has a value without a grad_fn: torch lets no gradient through it"


def _restored(scene: Scene, step: LiveStep) -> Iterator[Fix]:
    """The source without the detach or the cast."""
    expr = step.expr
    called = expr.function if isinstance(expr, nodes.Call) else expr
    if not isinstance(called, nodes.Attribute):
        return
    is_cast = called.name in _CASTS or called.name in {"item", "tolist"}
    if _is_detach(step) or (is_cast and not isinstance(expr, nodes.Attribute)):
        inner = scene.source[repair.grouped(scene.source, called.value)]
        tight = repair.followed(scene.source, called.value, "")
        kept = inner if expr is scene.run.program.body else tight
        yield Fix(f"without `.{called.name}`", repair.edited(scene.source, {expr.span: kept}))


def staircase(scene: Scene, step: LiveStep, names: list[str]) -> Finding:
    """A rounding: there is a grad_fn, and its gradient is 0 between the steps."""
    expr, text = step.expr, scene.text(step)
    fix = passed_through(scene.source, expr)
    get = "gets" if len(names) == 1 else "get"
    return scene.finding(
        "AGX403",
        f"{named(names)} {get} a gradient of 0 everywhere: {drawing.quoted(text)} is flat between its jumps.",
        name="nondifferentiable-op-in-loss",
        span=expr.span,
        fix=() if fix is None else (fix,),
        bindings=names,
    )


def passed_through(source: Source, expr: nodes.Expr) -> Fix | None:
    """A rounding that passes the gradient as if it were not there; None where it is not a plain call."""
    argument, text = _rounded(expr), source[expr.span]
    if argument is None:
        found = next((each for each in quotients(source, expr) if each.span == expr.span), None)
        return None if found is None else Fix(PASSED, repair.edited(source, {found.span: passed_on(found)}))
    inner = source[argument.span]
    passed = f"(({inner}) + ({text} - ({inner})).detach())"
    if isinstance(argument, nodes.Name):
        passed = f"({inner} + ({text} - {inner}).detach())"
    program = repair.edited(source, {expr.span: passed})
    return Fix(PASSED, program)


def _rounded(expr: nodes.Expr) -> nodes.Expr | None:
    """The argument of a rounding that has one argument, as function or method."""
    if not isinstance(expr, nodes.Call) or expr.keywords:
        return None
    if expr.args:
        return expr.args[0] if len(expr.args) == 1 and not _is_method(expr.function) else None
    return expr.function.value if isinstance(expr.function, nodes.Attribute) else None


def _is_method(function: nodes.Expr) -> bool:
    """Whether a value stands before the dot, not a module."""
    if not isinstance(function, nodes.Attribute):
        return False
    return not (isinstance(function.value, nodes.Name) and function.value.id in ("torch", "F", "math", "np"))


def unused_input(scene: Scene) -> Iterator[Finding]:
    """AGX406 for a binding in the source that the output does not depend on by its values."""
    for name in scene.unread:
        yield scene.finding(
            "AGX406",
            f"`{name}` gets no gradient: it stands only where the run did not come by.",
            bindings=[name],
        )
    for name, its in scene.ways.items():
        if name in scene.reached or its.arrives or any(not _shape_only(step) for step in its.ends):
            continue
        is_all = any(step.index == scene.root.index for step in its.ends) or not is_floating(scene.run.output)
        shape_only = (
            f"; {drawing.quoted(scene.text(its.ends[0]))} takes its shape or dtype" if its.ends else ""
        )
        found = scene.finding(
            "AGX406",
            f"`{name}` gets no gradient: no value of it goes into the output{shape_only}.",
            span=scene.leaves[name].expr.span,
            bindings=[name],
        )
        yield replace(found, severity=Severity.NOTE) if is_all else found
