"""All witnesses of a run's gradients, gathered and judged."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from autograd_cli.errors import first_line
from autograd_cli.gradients.backward import Backward, accumulated
from autograd_cli.gradients.compare import judged
from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.exact import Exact, Formulas
from autograd_cli.gradients.known import Evidence, Outcome
from autograd_cli.gradients.line import place_of, shaped
from autograd_cli.gradients.mirrored import shared
from autograd_cli.gradients.numeric import Chosen, Numeric
from autograd_cli.gradients.replay import in_double
from autograd_cli.gradients.ties import slopes as moving_slopes
from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.swift import swift
from autograd_cli.report import Gradient, Values, Verdict, Witness
from autograd_cli.run.tape import Run
from autograd_cli.run.values import VALUES_LIMIT, plain
from autograd_cli.symbolic.derive import Derivative
from autograd_cli.symbolic.remembered import differentiate
from autograd_cli.symbolic.unparse import unparse

if TYPE_CHECKING:
    from autograd_cli.gradients.grounds.gather import Gatherer

_SHARED = 1 << 20
"""Elements beyond which the work of torch is worth sharing among threads."""

STOP_GRADIENT = "stop-gradient"
"""The note on a leaf that reaches the output through cuts alone."""


GIVEN_NONE = "given-none"
"""The note on a leaf that a backward gave None for."""


@swift
@dataclass(frozen=True)
class Options:
    """Which witnesses are computed and how they are judged.

    `cotangent` is the text of the cotangent as a formula may use it, None for ones.
    `eps` is the step of a plain central difference that is shown besides; `rtol` and `atol` stand in for what
    rounding allows. `limit` is the most elements written out, None for all. `elements` is how many of each
    leaf the numeric witness looks at, None for all of a small one and directions of a large one.
    `through` has that witness move what is cut from the graph as well, and asks no formula. `gather`
    looks for the grounds of each verdict.
    """

    witnesses: frozenset[Witness] = frozenset(Witness)
    cotangent: Expr | None = None
    eps: float | None = None
    rtol: float | None = None
    atol: float | None = None
    limit: int | None = VALUES_LIMIT
    elements: Chosen | None = None
    through: bool = False
    gather: "Gatherer | None" = None


def check(
    run: Run, backward: Backward, cotangent: torch.Tensor | None = None, options: Options | None = None
) -> tuple[Gradient, ...]:
    """The judged gradient of each leaf that the source uses, in the order of the bindings.

    `backward` is what the run's own backward gave for `cotangent` (None for ones).
    """
    options = options or Options()
    used = [binding.name for binding in run.bindings if binding.role == "leaf" and binding.used]
    nothing, backward = _given_nothing(run, backward)
    if options.through:
        backward, options = _through(run, backward, options)
    if all(backward.leaves.get(name) is None for name in used):
        bench = _bench(run, cotangent, options)
        return tuple(_absent(bench, backward, options, name) for name in used)
    on_paper = derivatives(run, options) if Witness.SYMBOLIC in options.witnesses else {}
    # Every witness in float64 would set the dtype otherwise, for each leaf anew.
    with few_threads(run), in_double():
        bench, formulas = _bench(run, cotangent, options), Formulas(run)
        made = tuple(
            _absent(bench, backward, options, name)
            if (given := backward.leaves.get(name)) is None
            else _judged(bench, formulas, options, name, given, on_paper.get(name), backward)
            for name in used
        )
    return tuple(_with_none(one) if one.name in nothing else one for one in made)


def _with_none(gradient: Gradient) -> Gradient:
    """A gradient of 0 that was None."""
    sentence = gradient.sentence.replace("autograd gives 0,", "autograd gives None, which counts as 0,", 1)
    return replace(gradient, sentence=sentence, notes=(*gradient.notes, GIVEN_NONE))


def _given_nothing(run: Run, backward: Backward) -> tuple[frozenset[str], Backward]:
    """A leaf of the output's graph that a Function gave None for has the gradient 0, to be judged.

    Gives the names of such leaves as well.
    """
    missing = [name for name, value in backward.leaves.items() if value is None]
    if not missing or backward.error is not None or not isinstance(run.output, torch.Tensor):
        return frozenset(), backward
    held = accumulated(run.output)
    zeros = {name: torch.zeros_like(run.leaves[name]) for name in missing if id(run.leaves[name]) in held}
    return frozenset(zeros), replace(backward, leaves={**backward.leaves, **zeros})


def _through(run: Run, backward: Backward, options: Options) -> tuple[Backward, Options]:
    """Where cuts are gone through: a leaf that no backward reached has the gradient 0, and no formula."""
    options = replace(options, witnesses=options.witnesses - {Witness.SYMBOLIC})
    if backward.error is not None or not (isinstance(run.output, torch.Tensor) and run.output.requires_grad):
        return backward, options
    given: dict[str, torch.Tensor | None] = {
        name: torch.zeros_like(run.leaves[name]) if value is None else value
        for name, value in backward.leaves.items()
    }
    return replace(backward, leaves=given), options


def _bench(run: Run, cotangent: torch.Tensor | None, options: Options) -> Bench:
    return Bench(run, cotangent, options.rtol, options.atol, options.elements)


@contextmanager
def few_threads(run: Run) -> Iterator[None]:
    """One thread of torch's while all tensors are small.

    Some calls hand even a few elements to other threads, and on a busy machine each of the
    thousands of evaluations of a small program would wait for these.
    """
    threads = torch.get_num_threads()
    if threads == 1 or _elements(run) > _SHARED:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _elements(run: Run) -> int:
    return sum(step.value.numel() for step in run.steps if isinstance(step.value, torch.Tensor))


def worst(gradients: Sequence[Gradient]) -> Verdict | None:
    """The verdict on the whole: the worst of its bindings'; None where none has one."""
    verdicts = [gradient.verdict for gradient in gradients if gradient.verdict is not None]
    return max(verdicts, key=lambda verdict: verdict.rank, default=None)


def derivatives(run: Run, options: Options) -> dict[str, Derivative]:
    """The derivatives on paper, by name of the leaf."""
    assert run.root is not None
    places = {step.index: step.name for step in run.steps if step.name in run.leaves}
    reason = run.unwritten()
    if reason:
        return dict.fromkeys(places.values(), Derivative(None, reason))
    tape = run.tape
    hidden = [binding.name for binding in run.bindings]
    found = differentiate(tape, run.root, list(places), options.cotangent, hidden)
    return {places[index]: derivative for index, derivative in found.items()}


Parts = dict[str, Any]
"""Fields of a Gradient by name."""

_NO_WITNESS: Parts = {
    "formula": None,
    "no_formula": "",
    "shapes": "",
    "symbolic": None,
    "autograd": None,
    "numeric": None,
    "error_bar": None,
    "difference": None,
    "tolerance": None,
    "worst": None,
    "verdict": None,
}


def _absent(bench: Bench, backward: Backward, options: Options, name: str) -> Gradient:
    """The gradient of a leaf that no backward reached, and why it did not."""
    gradient = _without(bench.run, backward, name)
    return gradient if options.gather is None else options.gather.absent(bench, gradient)


def _without(run: Run, backward: Backward, name: str) -> Gradient:
    parts: Parts = {"verdict": Verdict.NO_GRAPH}
    if backward.error is not None:
        parts["sentence"] = f"backward failed: {first_line(backward.error)}"
    elif not (isinstance(run.output, torch.Tensor) and run.output.requires_grad):
        parts["sentence"] = "the output has no graph, so no backward can start from it"
    else:
        sentence = f"{name} reaches the output only through what is cut, and held constant: its slope is 0"
        parts = {"verdict": Verdict.OK, "sentence": sentence, "notes": (STOP_GRADIENT,)}
    return Gradient(name=name, shape=tuple(run.leaves[name].shape), **(_NO_WITNESS | parts))


def _judged(
    bench: Bench,
    formulas: Formulas,
    options: Options,
    name: str,
    given: torch.Tensor,
    derivative: Derivative | None,
    backward: Backward,
) -> Gradient:
    """The gradient with every witness asked for, and the verdict on them."""
    leaf = bench.run.leaves[name]
    exact = _exact(formulas, leaf, derivative)
    slopes, known = _slopes(bench, options, name, given), list[Evidence]()
    parts = (
        _NO_WITNESS
        | _of_formula(exact, derivative, leaf, options)
        | _of_slopes(slopes, leaf, options)
        | _of_plain(bench, name, slopes, leaf, options)
    )
    if Witness.AUTOGRAD in options.witnesses:
        known = list(bench.evidence(name, given, exact, slopes))
        if options.through:  # a little aside a leaf that is cut off has no gradient either
            known = [replace(one, neighbours=None) for one in known]
        outcome = max(map(judged, known), key=lambda one: one.verdict.rank, default=None)
        parts |= {"autograd": plain(given, options.limit), **_of_verdict(outcome, leaf)}
    parts.setdefault("sentence", bench.reason or _unjudged(options))
    if slopes is not None and bench.replay is not None:
        parts["notes"] = (*parts.get("notes", ()), *shared(bench.replay, name))
    if slopes is not None and slopes.remark:
        parts["sentence"] = "; ".join(filter(None, (parts["sentence"], slopes.remark)))
    gradient = Gradient(name=name, shape=tuple(leaf.shape), **parts)
    if options.gather is None:
        return gradient
    return options.gather.gathered(bench, gradient, given, slopes, known, backward.cotangents, _by_itself)


def _unjudged(options: Options) -> str:
    """Why a gradient has no verdict where one is demanded, if that is for the witnesses that were asked."""
    if options.gather is None or Witness.AUTOGRAD in options.witnesses:
        return ""
    return "autograd was not asked (--witness): there is nothing to hold against the references"


def _by_itself(run: Run, backward: Backward, cotangent: torch.Tensor, sent: Expr) -> tuple[Gradient, ...]:
    """The gradients of a node as a run of its own, judged by all witnesses."""
    return check(run, backward, cotangent, Options(cotangent=sent))


def _slopes(bench: Bench, options: Options, name: str, given: torch.Tensor) -> Numeric | None:
    """The numeric slopes, where they are asked for and can be had."""
    if Witness.NUMERIC not in options.witnesses:
        return None
    if options.gather is None:  # a trace shows the branches that the run took
        return moving_slopes(bench, name, given, jumps=False)
    if options.through and bench.replay is not None:
        return options.gather.through_cuts(bench, name)
    return None if options.gather.spares(bench) else moving_slopes(bench, name, given)


def _exact(formulas: Formulas, leaf: torch.Tensor, derivative: Derivative | None) -> Exact | None:
    """The formula with its value, where there is a formula."""
    if derivative is None or derivative.formula is None:
        return None
    if leaf.is_meta:
        return Exact(unparse(derivative.formula), reason="meta tensors have no values")
    return formulas.evaluate(derivative.formula, leaf)


def _of_formula(
    exact: Exact | None, derivative: Derivative | None, leaf: torch.Tensor, options: Options
) -> Parts:
    if derivative is None:
        return {}
    return {
        "formula": exact.formula if exact else None,
        "no_formula": exact.reason if exact else derivative.reason,
        "shapes": derivative.shapes,
        "symbolic": _written(exact.values if exact else None, leaf, options),
        "notes": derivative.notes,
    }


def _of_slopes(slopes: Numeric | None, leaf: torch.Tensor, options: Options) -> Parts:
    if slopes is None:
        return {}
    return {
        "numeric": None if slopes.probes else _written(slopes.values, leaf, options),
        "error_bar": slopes.widest,
        "directions": slopes.probes.count if slopes.probes else None,
    }


def _of_plain(bench: Bench, name: str, slopes: Numeric | None, leaf: torch.Tensor, options: Options) -> Parts:
    """The plain difference that was asked for."""
    made = bench.plain(name, slopes, options.eps) if slopes and options.eps else None
    if made is None or slopes is None:
        return {}
    values = None if slopes.probes else _written(made.values, leaf, options)
    return {"plain": values, "plain_sentence": made.sentence}


def _of_verdict(outcome: Outcome | None, leaf: torch.Tensor) -> Parts:
    if outcome is None:
        return {}
    parts = {
        "difference": outcome.difference,
        "tolerance": outcome.tolerance,
        "worst": None if outcome.worst is None else place_of(outcome.worst, leaf),
        "verdict": outcome.verdict,
        "odd": outcome.odd,
        "kinks": outcome.kinks,
        "sentence": outcome.sentence,
    }
    return parts if outcome.widened is None else parts | {"error_bar": outcome.widened}


def _written(values: torch.Tensor | None, leaf: torch.Tensor, options: Options) -> Values:
    """Components as plain data in the shape of the leaf."""
    return None if values is None else plain(shaped(values, leaf), options.limit)
