"""Each rule of a wrong formula alone: a node is made a source of its own, with its operands as names."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import torch

from autograd_cli.errors import first_line
from autograd_cli.gradients.backward import Backward, backward
from autograd_cli.gradients.exact import with_names
from autograd_cli.gradients.grounds.alone import Alone
from autograd_cli.gradients.grounds.nodes import drawn, guilty, text_of
from autograd_cli.gradients.replay import raised
from autograd_cli.lang.nodes import Expr, Name
from autograd_cli.report import Gradient, Ref, Values, Verdict, below
from autograd_cli.report.checks import Guilty
from autograd_cli.report.kinds import Witness
from autograd_cli.report.values import element
from autograd_cli.run.tape import BoundValue, LiveStep, Run, filled, grad_fns_of

_NAMED = 5
_SENT = "sent"


class Judge(Protocol):
    """What judges the gradients of a run, each by its witnesses."""

    def __call__(
        self, run: Run, backward: Backward, cotangent: torch.Tensor, sent: Expr
    ) -> Sequence[Gradient]:
        """The gradients, of which the formulas call the cotangent `sent`."""


def wrong_rules(run: Run, name: str, judge: Judge) -> Alone:
    """The nodes below the root whose formula is wrong by itself, at most a few, of those with a formula."""
    found, nodes, checked, missed = list[Guilty](), 0, 0, ""
    for step in _live(run, name):
        if len(found) >= _NAMED:
            break
        nodes += 1
        try:
            alone = _source(run, step)
        except Exception as error:  # of torch, or of a person's own code: it is no source by itself
            missed = missed or f"{text_of(run, step)} could not be: {first_line(error)}"
            continue
        gradients = _judged(alone, judge)
        checked += any(one.symbolic is not None for one in gradients)
        found += [_named(run, step, one) for one in gradients if _is_wrong(one)]
    return Alone(nodes, checked, tuple(found[:_NAMED]), missed=missed)


def _judged(alone: Run, judge: Judge) -> Sequence[Gradient]:
    """The gradients of a node as a run of its own; nothing of one without numbers that have any."""
    if not isinstance(alone.output, torch.Tensor) or not alone.output.requires_grad:
        return ()
    cotangent = drawn(alone.output, 0)
    made = backward(alone, cotangent)
    sent = BoundValue(_SENT, "", cotangent, "constant")
    whole = Run(alone.program, (*alone.bindings, sent), alone.steps, alone.root, None, alone.settings)
    return judge(whole, made, cotangent, Name(_SENT))


def _is_wrong(gradient: Gradient) -> bool:
    return gradient.verdict is Verdict.WRONG and gradient.odd is not Witness.AUTOGRAD


def _live(run: Run, name: str) -> Iterator[LiveStep]:
    reached = {step.index for step in run.steps if step.kind == "binding" and step.name == name}
    for index in run.needed():
        step = run.steps[index]
        if step.kind == "call" and not reached.isdisjoint(below(step)):
            reached.add(index)
            yield step


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
    with torch.enable_grad(), torch.random.fork_rng(devices=()):
        if step.random_state is not None:
            torch.random.set_rng_state(step.random_state)
        value = step.call(*filled(args, values), **filled(kwargs, values))
    expr = with_names(run.tape[step.index].expr, named)
    return LiveStep(
        len(steps),
        expr,
        "call",
        value,
        step.function,
        step.call,
        args,
        kwargs,
        grad_fns_of(value),
        random_state=step.random_state,
    )


def _named(run: Run, step: LiveStep, gradient: Gradient) -> Guilty:
    given, right = (_number(values, gradient) for values in (gradient.symbolic, gradient.numeric))
    operand = f"its rule, {gradient.formula}" if gradient.formula else "its rule"
    return guilty(run, step, given, right, operand, Witness.SYMBOLIC)


def _number(values: Values, gradient: Gradient) -> float | None:
    """The number where the gradient is worst, if it is a real one."""
    found = element(values, gradient.worst)
    return float(found) if isinstance(found, float | int) else None
