"""What one node hands down, on paper: its vjp in terms of the cotangent that comes to it."""

from autograd_cli.graph.local import slot_of, tensor_operands
from autograd_cli.graph.read import Reading
from autograd_cli.run.tape import Run
from autograd_cli.symbolic.derive import LocalFactors

_LONGEST_TEXT = 200
"""Characters of an expression; beyond this what it hands down is left out."""


class Handed:
    """The vjps of the nodes of a reading, each written when it is asked for."""

    def __init__(self, run: Run, reading: Reading) -> None:
        self.run, self.reading = run, reading
        self.paper = LocalFactors(run.near, [step.expr for step in run.steps])

    def whole(self, step: int, operand: int) -> str:
        """What a call hands to one of its operands that is given once; empty where that is not written."""
        operands = tensor_operands(self.run.steps[step], self.run.steps)
        span = self.run.steps[step].expr.span
        if operands.count(operand) != 1 or span.end - span.start > _LONGEST_TEXT:
            return ""
        return self.paper.handed(step).get(operands.index(operand), "")

    def of(self, number: int) -> dict[int, str]:
        """The text for each slot of a node that is a call's own; empty where there is none."""
        owner, steps = self.reading.owners[number], self.run.steps
        if owner is None or owner.inside or steps[owner.step].kind != "call":
            return {}
        step = steps[owner.step]
        if step.expr.span.end - step.expr.span.start > _LONGEST_TEXT:
            return {}
        inputs = [None if to is None else self.reading.owners[to] for to in self.reading.walk.inputs(number)]
        below = [None if one is None else one.step for one in inputs]
        operands = tensor_operands(step, steps)
        found = ((slot_of(at, operands, below), text) for at, text in self.paper.handed(step.index).items())
        return {slot: text for slot, text in found if slot is not None}
