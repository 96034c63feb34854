"""Each rule of a wrong formula alone: a node is made a source of its own, with its operands as names."""

from collections.abc import Iterator

import torch

from autograd_cli.gradients.backward import backward
from autograd_cli.gradients.exact import with_names
from autograd_cli.gradients.grounds.alone import node_name
from autograd_cli.gradients.replay import raised
from autograd_cli.lang.nodes import Expr, Name
from autograd_cli.report import Gradient, Ref, Verdict, below
from autograd_cli.report.checks import Guilty
from autograd_cli.report.kinds import Witness
from autograd_cli.run.tape import BoundValue, LiveStep, Run, filled, grad_fns_of

_NAMED = 5
_SENT = "sent"


def wrong_rules(run: Run, name: str) -> tuple[Guilty, ...]:
    """The nodes below the root whose formula is wrong by itself, at most a few."""
    from autograd_cli.gradients.check import Options, check  # which asks for what is found here

    found = []
    for step in _live(run, name):
        try:
            alone = _source(run, step)
            cotangent = _drawn(alone.output)
            made = backward(alone, cotangent)
            expr = Name(_SENT)
            sent = BoundValue(_SENT, "", cotangent, "constant")
            whole = Run(alone.program, (*alone.bindings, sent), alone.steps, alone.root, None, alone.settings)
            gradients = check(whole, made, cotangent, Options(cotangent=expr))
        except Exception:  # a node that is no source by itself says nothing
            continue
        found += [_named(run, step, one) for one in gradients if _is_wrong(one)]
        if len(found) >= _NAMED:
            break
    return tuple(found[:_NAMED])


def _is_wrong(gradient: Gradient) -> bool:
    return gradient.verdict is Verdict.WRONG and gradient.odd is not Witness.AUTOGRAD


def _live(run: Run, name: str) -> Iterator[LiveStep]:
    reached = {step.index for step in run.steps if step.kind == "binding" and step.name == name}
    for index in run.needed():
        step = run.steps[index]
        if step.kind == "call" and not reached.isdisjoint(below(step)):
            reached.add(index)
            yield step


def _drawn(output: torch.Tensor) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(output.shape, generator=generator, dtype=output.dtype)


def _source(run: Run, step: LiveStep) -> Run:
    """The step as the root of a run in float64, whose leaves are its operands."""
    bindings: list[BoundValue] = []
    steps: list[LiveStep] = []
    places: dict[int, Ref] = {}
    named: dict[Expr, BoundValue] = {}
    for place in dict.fromkeys(below(step)):
        value, expr = raised(run.steps[place].value), run.tape[place].expr
        if isinstance(value, torch.Tensor):
            is_leaf = run.steps[place].value.requires_grad
            bound = BoundValue(
                f"operand{len(steps)}",
                "",
                value.clone().requires_grad_() if is_leaf else value,
                "leaf" if is_leaf else "constant",
            )
            bindings.append(bound)
            named[expr] = bound
            made = LiveStep(
                len(steps), Name(bound.name, span=expr.span), "binding", bound.value, name=bound.name
            )
            if is_leaf:
                made.grad_fns = (torch.autograd.graph.get_gradient_edge(bound.value).node,)
        else:
            made = LiveStep(len(steps), expr, "constant", value)
        places[place] = Ref(len(steps))
        steps.append(made)
    steps.append(_called(run, step, steps, places, named))
    if not isinstance(steps[-1].value, torch.Tensor):  # one of several results, the first that is used
        item = next(s for s in run.steps if s.kind == "call" and set(below(s)) == {step.index})
        places[step.index] = Ref(len(steps) - 1)
        steps.append(_called(run, item, steps, places, named))
    return Run(run.program, tuple(bindings), steps, len(steps) - 1, None, run.settings)


def _called(
    run: Run,
    step: LiveStep,
    steps: list[LiveStep],
    places: dict[int, Ref],
    named: dict[Expr, BoundValue],
) -> LiveStep:
    assert step.call is not None
    args, kwargs = filled(step.args, places), filled(step.kwargs, places)  # type: ignore[arg-type]
    values = [one.value for one in steps]
    with torch.enable_grad():
        value = step.call(*filled(args, values), **filled(kwargs, values))
    expr = with_names(run.tape[step.index].expr, named)
    return LiveStep(
        len(steps), expr, "call", value, step.function, step.call, args, kwargs, grad_fns_of(value)
    )


def _named(run: Run, step: LiveStep, gradient: Gradient) -> Guilty:
    source, span = run.program.source, step.expr.span
    given, right = (_worst(values, gradient) for values in (gradient.symbolic, gradient.numeric))
    known = given is not None and right is not None
    return Guilty(
        text=source[span],
        node=node_name(step),
        operand=f"its rule, {gradient.formula}" if gradient.formula else "its rule",
        odd=Witness.SYMBOLIC,
        given=given,
        reference=right,
        relative=abs(given - right) / max(abs(given), abs(right), 1e-300) if known else None,  # type: ignore[operator, arg-type]
        span=(span.start, span.end),
        line=source.line_of(span.start),
    )


def _worst(values: object, gradient: Gradient) -> float | None:
    """The element of nested values where the gradient is worst."""
    for at in gradient.worst or ():
        values = values[at] if isinstance(values, tuple) else None
    return float(values) if isinstance(values, float | int) else None
