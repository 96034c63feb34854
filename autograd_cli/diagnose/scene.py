"""A run that worked, as the rules look at it: what depends on what, what reaches the output."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograd_cli.diagnose.facts import make
from autograd_cli.diagnose.statements import expressions
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.nodes import Expr, Name
from autograd_cli.lang.same import once
from autograd_cli.lang.source import Source
from autograd_cli.lang.swift import swift
from autograd_cli.report import Finding, Gradient, Graph, Ref, below, under
from autograd_cli.run.slices import Slice
from autograd_cli.run.tape import LiveStep, Run
from autograd_cli.run.traced import BackwardCall, Ran, Traced
from autograd_cli.run.values import tensors_in

STAIRCASES = {"round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "round_", "floor_", "ceil_", "trunc_"}
"""Functions with a grad_fn whose gradient is 0 wherever there is one."""

_QUOTIENTS = {"div", "divide", "true_divide", "div_", "divide_"}

_PAIRED = {Kind.ELEMENTWISE, Kind.LOSS}
_CHOOSING = {"where", "masked_fill"}


@swift
@dataclass(frozen=True)
class Scene:
    """A run with its graph and gradients. `cotangent_given` says that -g was, `cotangent` what it is.

    Of a program `ran` is all of it, and `call` the backward whose slice this is, None where agx made it.
    """

    run: Run
    graph: Graph | None
    gradients: Sequence[Gradient]
    cotangent_given: bool = False
    cotangent: torch.Tensor | None = None
    ran: Ran | None = None
    call: BackwardCall | None = None

    @property
    def source(self) -> Source:
        """The text that spans count in."""
        return self.run.program.source

    @property
    def root(self) -> LiveStep:
        """The step that made the output."""
        assert self.run.root is not None
        return self.run.steps[self.run.root]

    def text(self, step: LiveStep) -> str:
        """A step's expression as it is written."""
        return self.source[step.expr.span]

    @property
    def output(self) -> str:
        """What the output is called: in a program the variable or the expression that holds it."""
        return self.output_text if self.ran is None else self.root.variable or self.text(self.root)

    def finding(self, code: str, sentence: str, **parts: Any) -> Finding:
        """A finding about the source; `parts` as `make` takes them."""
        return make(code, sentence, self.source, **parts)

    def arguments(self, step: LiveStep) -> list[LiveStep]:
        """The steps whose values went into `step`, in order, repeats kept."""
        return [self.run.steps[index] for index in below(step)]

    def operand(self, step: LiveStep, side: LiveStep) -> Expr:
        """The expression by which `step` reads the value of `side`: of a program's variable its name."""
        given = (*step.args, *step.kwargs.values())
        written_as = self.run.exprs[step.index] if isinstance(self.run, Slice) else written(step, len(given))
        for node, argument in zip(written_as, given, strict=False):
            if isinstance(argument, Ref) and argument.index == side.index:
                return node
        return side.expr

    @property
    def several(self) -> tuple[object, ...] | None:
        """All results of the source's call where the run goes on with the first of them."""
        before = self.arguments(self.root)
        picked = before and before[0].expr is self.root.expr and isinstance(before[0].value, tuple)
        return tuple(before[0].value) if picked else None

    @property
    def output_text(self) -> str:
        """What gives the output when it is typed: the source, and [0] where the first is taken."""
        text = self.run.program.text
        return text if self.several is None else f"({text})[0]"

    @once
    def needed(self) -> frozenset[int]:
        """The steps that the output was computed from, itself among them."""
        return frozenset(under(self.run.steps, self.root.index))

    @once
    def leaves(self) -> dict[str, LiveStep]:
        """The steps of the bindings that require grad and are used, by name."""
        wanted = self.run.leaves
        return {s.name: s for s in self.run.steps if s.kind == "binding" and s.name in wanted}

    @property
    def unread(self) -> tuple[str, ...]:
        """The names that require grad and stand in the source, but only in branches not taken."""
        aside = [name for name in self.run.leaves if name not in self.leaves]
        if not aside:
            return ()
        read = {node.id for node in expressions(self.run.program) if isinstance(node, Name)}
        return tuple(name for name in aside if name in read)

    @once
    def ways(self) -> "dict[str, Way]":
        """The way of each leaf, by name."""
        calls = (step for step in map(self.run.steps.__getitem__, self.needed) if step.kind == "call")
        if all(map(_passes, calls)):
            return {name: Way(leaf.index in self.needed, (), ()) for name, leaf in self.leaves.items()}
        return {name: way(self, leaf) for name, leaf in self.leaves.items()}

    @once
    def together(self) -> tuple[tuple[LiveStep, list[LiveStep]], ...]:
        """The elementwise calls and losses under the output that take several tensors, with these."""
        found = []
        for step in self.run.steps:
            function = step.function
            if function is None or step.index not in self.needed:
                continue
            if function.kind not in _PAIRED and function.name not in _CHOOSING:
                continue
            tensors = [s for s in self.arguments(step) if isinstance(s.value, torch.Tensor)]
            if len(tensors) > 1:
                found.append((step, tensors))
        return tuple(found)

    @once
    def pairs(self) -> tuple[tuple[LiveStep, LiveStep, LiveStep], ...]:
        """Those that take two, each with these."""
        return tuple((step, each[0], each[1]) for step, each in self.together if len(each) == 2)

    @once
    def reached(self) -> frozenset[str]:
        """The names of the leaves that torch's graph leads to."""
        nodes = self.graph.nodes if self.graph else ()
        return frozenset(node.leaf for node in nodes if node.leaf)


def written(step: LiveStep, count: int) -> tuple[Expr, ...]:
    """The nodes of the `count` arguments of a call, as they are written; none where they are not known."""
    expr = step.expr
    if isinstance(expr, nodes.Binary):
        found: tuple[Expr, ...] = (expr.left, expr.right)
    elif isinstance(expr, nodes.Unary):
        found = (expr.operand,)
    elif isinstance(expr, nodes.Call):
        found = (*expr.args, *(keyword.value for keyword in expr.keywords))
        if len(found) == count - 1 and isinstance(expr.function, nodes.Attribute):
            found = (expr.function.value, *found)
    else:
        found = ()
    return found if len(found) == count else ()


@swift
@dataclass(frozen=True)
class Way:
    """How far a leaf's gradient path goes: whether to the output, and the steps that end it.

    `flat` are those of the ends that have a grad_fn whose gradient is 0 everywhere.
    """

    arrives: bool
    ends: tuple[LiveStep, ...]
    flat: tuple[LiveStep, ...]


def way(scene: Scene, leaf: LiveStep) -> Way:
    """The way of one leaf up the tape, among the steps that the output needs."""
    carrying = {leaf.index}
    ends: list[LiveStep] = []
    for step in scene.run.steps[leaf.index + 1 :]:
        if step.index not in scene.needed or not any(a.index in carrying for a in scene.arguments(step)):
            continue
        if _passes(step):
            carrying.add(step.index)
        else:
            ends.append(step)
    flat = tuple(step for step in ends if _requires_grad(step))
    return Way(scene.root.index in carrying, tuple(ends), flat)


def _passes(step: LiveStep) -> bool:
    return _requires_grad(step) and not is_staircase(step)


def is_staircase(made: LiveStep | Traced) -> bool:
    """Whether a call rounds: by its function, or a quotient by its `rounding_mode`."""
    if made.function is None:
        return False
    name = made.function.name
    return name in STAIRCASES or (name in _QUOTIENTS and made.kwargs.get("rounding_mode") is not None)


def _requires_grad(step: LiveStep) -> bool:
    value = step.value
    if type(value) is torch.Tensor:
        return value.requires_grad
    return any(tensor.requires_grad for tensor in tensors_in(value))


def is_floating(value: object) -> bool:
    """Whether a value is a tensor that could have a gradient."""
    return isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
