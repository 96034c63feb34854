"""The rules for a second derivative, each listed once: one looks at the record and yields findings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from autograd_cli.diagnose.facts import make
from autograd_cli.diagnose.faults import Faults
from autograd_cli.errors import Span
from autograd_cli.report import Finding, Fix, Second, Verdict
from autograd_cli.run.tape import Run


@dataclass(frozen=True)
class Twice:
    """A run with its second derivative."""

    run: Run
    second: Second

    def place(self, text: str) -> Span | None:
        """Where an expression stands in the source, None where it is not known."""
        source = self.run.program.source
        spans = (step.expr.span for step in self.run.steps if step.kind == "call")
        return next((span for span in spans if text and source[span] == text), None)


_RECORDED = (
    "write {} with functions of torch alone (no .numpy(), .item(), .detach()), or mark it once_differentiable"
)


def none(twice: Twice) -> Iterator[Finding]:
    """AGX425 where torch cannot go back through a backward."""
    found = twice.second
    if not found.error:
        return
    what = f"`{found.at}`" if found.at else "this"
    marked = "once_differentiable" in found.error
    own = "" if marked else _own_backward(twice, found.at)
    why = "its backward is marked so" if marked else "its backward has no derivative of its own in torch"
    cause = [f"{found.at or 'a function'}: {why}, so nothing leads back through the gradient"]
    if own:
        cause = [f"{own}: this backward raises when it is recorded itself, as create_graph=True asks"]
    if marked:
        cause.append(
            "torch.autograd.grad passes over the mark in silence, and gives too little; backward() raises"
        )
    yield make(
        "AGX425",
        f"torch has no second derivative of {what}.",
        twice.run.program.source,
        span=twice.place(found.at),
        torch=found.error,
        cause=cause,
        fix=(Fix(_RECORDED.format(own)),) if own else (),
        expression=found.at,
    )


def _own_backward(twice: Twice, text: str) -> str:
    """Where the backward of a person's Function stands that an expression calls; empty for all others."""
    from autograd_cli.gradients.clinic.written import backward_place  # few runs have any
    from autograd_cli.run.brought import Called

    source = twice.run.program.source
    calls = [s.call for s in twice.run.steps if isinstance(s.call, Called) and source[s.expr.span] == text]
    return next((backward_place(applied.owner) for call in calls for applied in call.applied), "")


def disagree(twice: Twice) -> Iterator[Finding]:
    """AGX501 for each pair of leaves on whose second derivative the witnesses do not agree."""
    for block in twice.second.blocks:
        if block.verdict is not Verdict.WRONG:
            continue
        by = " and ".join(f"`{name}`" for name in dict.fromkeys(block.pair))
        odd = f"{block.odd.value} is the odd one out" if block.odd else "the witnesses do not agree"
        worst = f" at [{', '.join(map(str, block.worst))}]" if block.worst else ""
        yield make(
            "AGX501",
            f"The second derivative by {by}: {odd}{worst}.",
            twice.run.program.source,
            cause=(block.sentence,) if block.sentence else (),
            pair=block.pair,
            difference=block.difference,
            tolerance=block.tolerance,
        )


SECONDS: tuple[tuple[str, Callable[[Twice], Iterator[Finding]]], ...] = (
    ("AGX425", none),
    ("AGX501", disagree),
)


def of_second(run: Run, found: Second) -> tuple[Finding, ...]:
    """What is worth saying about a second derivative."""
    twice, faults = Twice(run, found), Faults()
    said = [finding for code, rule in SECONDS for finding in faults.every(code, rule, twice)]
    return (*said, *faults.notes)
