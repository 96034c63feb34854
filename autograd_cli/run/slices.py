"""The values under one root of a program, laid out as a tape as if the source were one expression.

A program's values point to what they were made of. From a root the slice goes down to the
leaves, which have the value that they had when they were read; what was held constant has
the value of that moment too. In-place calls that wrote into the memory of these values
stand in the slice, in their order, so that a replay makes them on copies.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import torch

from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.nodes import Constant, Expr, Name, Sequence as Listed, Slice as SliceNode
from autograd_cli.report import Ref, Step
from autograd_cli.run.moments import Moments
from autograd_cli.run.needed import Needed, is_in_place, made_of
from autograd_cli.run.papers import Papers
from autograd_cli.run.stand_ins import Alias, Moved, Written
from autograd_cli.run.tape import BoundValue, LiveStep, Run
from autograd_cli.run.traced import Ran, Traced
from autograd_cli.run.values import tensors_in


@dataclass
class Slice(Run):
    """A Run whose values are those under one root of a program.

    `exprs` are, for each step, the nodes of its arguments; `tensors` the leaves themselves, by
    name, whose values in the bindings are those that were read. `below` makes the slice that goes on
    where a variable holds what was cut from the graph.
    """

    exprs: list[tuple[Expr, ...]] = field(default_factory=list)
    tensors: dict[str, torch.Tensor] = field(default_factory=dict)
    below: Callable[[], "Slice"] | None = None

    def beyond(self) -> "Slice":
        """The same root with what the variables that were cut from the graph were made of."""
        return self if self.below is None else self.below()

    @cached_property
    def _papers(self) -> Papers:
        return Papers(self.steps, self.exprs)

    @cached_property
    def tape(self) -> tuple[Step, ...]:
        """The steps without their tensors, in terms of leaves and constants."""
        written = self._papers.written
        return tuple(step.plain(expr) for step, expr in zip(self.steps, written, strict=True))

    @cached_property
    def near(self) -> tuple[Step, ...]:
        """The steps without their tensors, each called by the variable that holds it."""
        return tuple(step.plain(Name(step.variable) if step.variable else None) for step in self.steps)

    def needed(self) -> list[int]:
        """The places of all steps: what writes into the memory of another is needed as well."""
        return list(range(len(self.steps)))

    def unwritten(self) -> str:
        """Why no formula can be written; empty where nothing is known to stand in the way."""
        return self.no_formula or ("" if self._papers.is_whole else "written out it would not be read")


def whole(ran: Ran) -> Run:
    """The Run of an expression: all of its values in the order in which they were made."""
    places = {id(traced): place for place, traced in enumerate(ran.values)}
    steps = [
        LiveStep(
            place,
            traced.expr,
            traced.kind,
            traced.value,
            traced.function,
            traced.call,
            _with_refs(traced.args, places),
            _with_refs(traced.kwargs, places),
            traced.grad_fns,
            traced.held,
            traced.name if traced.kind == "binding" else "",
            traced.random_state,
        )
        for place, traced in enumerate(ran.values)
    ]
    root = None if ran.failure else places[id(ran.value)]
    said = tuple(dict.fromkeys(text for text, _ in ran.warned))
    return Run(ran.program, ran.bindings, steps, root, ran.failure, ran.settings, said)


def _with_refs(argument: Any, places: Mapping[int, int]) -> Any:
    """An argument with every Traced in it replaced by a Ref to its place."""
    if isinstance(argument, Traced):
        return Ref(places[id(argument)])
    if isinstance(argument, list | tuple):
        return type(argument)([_with_refs(item, places) for item in argument])
    if isinstance(argument, dict):
        return {name: _with_refs(item, places) for name, item in argument.items()}
    if isinstance(argument, slice):
        bounds = (argument.start, argument.stop, argument.step)
        return slice(*(_with_refs(bound, places) for bound in bounds))
    return argument


def of_value(ran: Ran) -> Run:
    """The Run of the value of a program's last expression, or its failure."""
    value = ran.value
    if ran.failure is None and isinstance(value, Traced):
        return sliced(ran, value)
    steps = [] if ran.failure else [LiveStep(0, Constant(None), "constant", value)]
    return Run(ran.program, ran.bindings, steps, None if ran.failure else 0, ran.failure, ran.settings)


def sliced(
    ran: Ran,
    root: Traced,
    leaves: Collection[torch.Tensor] | None = None,
    names: Mapping[str, Any] | None = None,
) -> Slice:
    """The Run of the values under `root`.

    `leaves` are the tensors that gradients are asked for; without them, all leaves that
    require grad. `names` are the program's variables at the moment of interest, by which
    leaves are called that have no name of their own.
    """
    known = ran.names if names is None else names
    made = _laid_out(ran, root, leaves, known)
    made.below = cache(lambda: _laid_out(ran, root, leaves, known, deep=True))
    return made


def _laid_out(
    ran: Ran,
    root: Traced,
    leaves: Collection[torch.Tensor] | None,
    names: Mapping[str, Any],
    deep: bool = False,
) -> Slice:
    needed = Needed(leaves, deep)
    needed.add(root)
    return _Layout(ran, needed, names).run(root)


class _Layout:
    """Lays needed values out as live steps, in the order in which they were made."""

    def __init__(self, ran: Ran, needed: Needed, names: Mapping[str, Any]) -> None:
        self.ran = ran
        self.needed = needed
        self.moments = Moments(ran.mutations, needed.effects)
        self.names = names
        self.steps: list[LiveStep] = []
        self.exprs: list[tuple[Expr, ...]] = []
        self.bound: list[BoundValue] = []
        self.places: dict[Any, int] = {}
        self.taken: dict[str, int] = {}
        self.tensors: dict[str, torch.Tensor] = {}
        self.no_formula = ""

    @cached_property
    def in_lists(self) -> dict[int, str]:
        """Names for tensors that stand in a list and have none, or one that a loop gave to several."""
        found = {}
        for name, held in self.names.items():
            items = (
                [(i, item) for i, item in enumerate(held) if isinstance(item, Traced)]
                if (isinstance(held, list | tuple))
                else []
            )
            counts = Counter(item.name for _, item in items)
            for place, item in items:
                if not item.name or counts[item.name] > 1:
                    found[id(item.value)] = f"{name}_{place}"
        return found

    def run(self, root: Traced) -> Slice:
        """The slice of `root`."""
        for traced in sorted(self.needed.calls.values(), key=lambda one: one.number):
            self.call(traced)
        place = self.places.get(id(root))
        place = self.atom(root, root, root.expr) if place is None else place
        made = Slice(
            self.ran.program,
            tuple(self.bound),
            self.steps,
            place,
            None,
            self.ran.settings,
            no_formula=self.no_formula or _unwritable(self.needed.calls.values()),
            exprs=self.exprs,
            tensors=self.tensors,
        )
        made.no_replay = _no_replay(self.needed.calls.values())
        return made

    def call(self, traced: Traced) -> None:
        """The step of one call."""
        if id(traced) in self.needed.aliases:
            self.places[id(traced)] = self.alias(traced)
            return
        args, kwargs = made_of(traced) if self.needed.deep else (traced.args, traced.kwargs)
        given = [*args, *kwargs.values()]
        nodes = [*traced.exprs[: len(given)], *[None] * (len(given) - len(traced.exprs))]
        refs = [self.argument(arg, node, traced) for arg, node in zip(given, nodes, strict=True)]
        count, renewed = len(args), id(traced) in self.needed.renewed
        step = LiveStep(
            len(self.steps),
            traced.expr,
            "call",
            self.moments.value(traced),
            traced.function,
            traced.call,
            tuple(refs[:count]),
            dict(zip(kwargs, refs[count:], strict=True)),
            traced.grad_fns,
            traced.held and not (renewed and args and not _is_drawn(traced)),
            random_state=traced.random_state,
            variable=traced.name,
            renewed=renewed,
        )
        if is_in_place(traced) and not self.no_formula:
            text = self.ran.program.source[traced.exprs[0].span] if traced.exprs else traced.name
            self.no_formula = f"`{text or traced.name}` is changed in place"
        self.places[id(traced)] = self._put(step, traced.exprs)

    def alias(self, traced: Traced) -> int:
        """The place of a step for an alias of memory of the slice."""
        owner = self.needed.aliases[id(traced)]
        place = self.places.get(id(owner))
        of = Ref(self.atom(owner, traced, None) if place is None else place)
        value = self.moments.value(traced)
        step = LiveStep(
            len(self.steps), traced.expr, "call", value, call=Alias(traced.value, owner.value), args=(of,)
        )
        step.renewed = True
        return self._put(step)

    def _put(self, step: LiveStep, exprs: tuple[Expr, ...] = ()) -> int:
        self.steps.append(step)
        self.exprs.append(exprs)
        return step.index

    def argument(self, argument: Any, node: Expr | None, reader: Traced) -> Any:
        """An argument of a call with Refs in place of values."""
        if isinstance(argument, Traced):
            return self.read(argument, node, reader)
        if isinstance(argument, list | tuple):
            nodes: Any = node.items if isinstance(node, Listed) else ()
            return type(argument)(
                self.argument(item, nodes[i] if i < len(nodes) else None, reader)
                for i, item in enumerate(argument)
            )
        if isinstance(argument, slice):
            bounds = (node.lower, node.upper, node.step) if isinstance(node, SliceNode) else (None,) * 3
            given = (argument.start, argument.stop, argument.step)
            return slice(*(self.argument(g, n, reader) for g, n in zip(given, bounds, strict=True)))
        return argument

    def read(self, traced: Traced, node: Expr | None, reader: Traced) -> Any:
        """A Ref to a value as it was when `reader` read it, or the value itself where it is no tensor."""
        if id(traced) not in self.needed.calls or self.needed.is_leaf(traced):
            if not tensors_in(traced.value):
                return traced.value
            return Ref(self.atom(traced, reader, node))
        is_constant = not traced.grad_fns and id(traced) not in self.needed.renewed
        if is_constant and isinstance(node, Name) and not self.needed.deep:
            return Ref(self.atom(traced, reader, node))
        return Ref(self.drifted(traced, self.places[id(traced)], reader))

    def atom(self, traced: Traced, reader: Traced, node: Expr | None) -> int:
        """The place of a leaf or of a value held constant, as `reader` read it."""
        if self.needed.is_leaf(traced):
            return self.leaf(traced, reader, node)
        renewed = id(traced) in self.needed.renewed
        moment = _moment(traced, reader)
        if renewed:  # from here on the slice itself writes into it
            moment = max(traced.number, self.needed.first.get(id(traced), traced.number + 1) - 1)
        key = (id(traced.value), None if renewed else self.moments.version(traced.value, moment))
        if key not in self.places:
            name = self.constant(traced, node)
            value = self.moments.at(traced.value, moment, grad=False)
            self.places[key] = self.binding(traced, name, value, node, "constant")
        return self.places[key]

    def constant(self, traced: Traced, node: Expr | None) -> str:
        """What a value that is held constant is called; a function's parameter by its name outside."""
        if not isinstance(node, Name):
            return self.in_lists.get(id(traced.value)) or traced.name or self.identifier(traced)
        held = self.names.get(node.id) if node.id in self.ran.names else None
        if isinstance(held, Traced) and held.value is traced.value:
            return node.id
        outside = self.names.get(traced.name)
        is_known = isinstance(outside, Traced) and outside.value is traced.value
        return traced.name if is_known or traced.kind == "binding" else node.id

    def leaf(self, traced: Traced, reader: Traced, node: Expr | None) -> int:
        """The place of a leaf; a second value of it is the first one moved."""
        tensor, moment = traced.value, _moment(traced, reader)
        first, version = ("leaf", id(tensor)), self.moments.version(tensor, moment)
        if (first, version) in self.places:
            return self.places[(first, version)]
        value = self.moments.at(tensor, moment, grad=True)
        if first not in self.places:
            name = self.in_lists.get(id(tensor)) or traced.name or self.identifier(traced)
            place = self.places[first] = self.binding(traced, name, value, node, "leaf")
            self.tensors[self.steps[place].name] = tensor
        else:
            place = self._moved(self.places[first], value, reader.expr if node is None else node)
            name = self.steps[self.places[first]].name
            self.no_formula = self.no_formula or f"`{name}` was written between two uses"
        self.places[(first, version)] = place
        return place

    def binding(self, traced: Traced, name: str, value: Any, node: Expr | None, role: str) -> int:
        """The place of a new step for a name with a value from outside the slice."""
        name = self._free(name)
        known = node if isinstance(node, Name) and node.id == name else Name(name, span=traced.expr.span)
        step = LiveStep(
            len(self.steps), known, "binding", value, name=name, variable=name,
            grad_fns=_accumulators(traced.value) if role == "leaf" else (),
            renewed=role != "leaf" and id(traced) in self.needed.renewed,
        )  # fmt: skip
        text = self.ran.program.source[traced.expr.span]
        self.bound.append(BoundValue(name, text, value, role))
        return self._put(step)

    def _free(self, name: str) -> str:
        """`name`, with a number where it is taken by another value; then no formula can be written."""
        count = self.taken[name] = self.taken.get(name, 0) + 1
        if count == 1:
            return name
        self.no_formula = self.no_formula or f"`{name}` stands for two values"
        return self._free(f"{name}_{count}")

    def identifier(self, traced: Traced) -> str:
        """A name for a value that has none: `leaf`, `leaf_2`, or one made of its text."""
        if self.needed.is_leaf(traced):
            names = (f"leaf_{count}" if count > 1 else "leaf" for count in itertools.count(1))
            return next(name for name in names if name not in self.taken and name not in self.ran.names)
        text = self.ran.program.source[traced.expr.span]
        made = "".join(c if c.isidentifier() or (c.isdigit() and i) else "_" for i, c in enumerate(text))
        return "_".join(filter(None, made.split("_")))[:40] or "value"

    def drifted(self, traced: Traced, place: int, reader: Traced) -> int:
        """The place of a call's value, held where its memory was written by what is not replayed."""
        moment = _moment(traced, reader)
        if not self.moments.missed(traced, moment):
            return place
        key = (id(traced), self.moments.version(traced.value, moment))
        if key not in self.places:
            value = self.moments.at(traced.value, moment, grad=bool(traced.grad_fns))
            written = Written(self.steps[place].value, value)
            step = LiveStep(len(self.steps), traced.expr, "call", value, call=written, args=(Ref(place),))
            self.places[key] = self._put(step)
            self.no_formula = self.no_formula or "the memory of a value was written behind torch's back"
        return self.places[key]

    def _moved(self, place: int, value: torch.Tensor, expr: Expr) -> int:
        """A step that is the one at `place`, moved to `value`."""
        before = self.steps[place].value
        by = value.detach() - before.detach()
        return self._put(LiveStep(len(self.steps), expr, "call", value, call=Moved(by), args=(Ref(place),)))


def _moment(traced: Traced, reader: Traced) -> int:
    """The number up to which writes count for a value that `reader` read; its own write does not."""
    own = is_in_place(reader) and traced.value is reader.value
    return max(traced.number, reader.number - 1 if own else reader.number)


def _is_drawn(traced: Traced) -> bool:
    return traced.function is not None and traced.function.kind is Kind.RANDOM


def _accumulators(leaf: torch.Tensor) -> tuple[torch.autograd.graph.Node, ...]:
    if not leaf.requires_grad:
        return ()
    return (torch.autograd.graph.get_gradient_edge(leaf).node,)


def _unwritable(calls: Collection[Traced]) -> str:
    """Why no formula can be made of the calls; empty where nothing is known to stand in the way."""
    if any(c.function is not None and c.function.path == "torch.autograd.grad" for c in calls):
        return "it is made of a gradient that the program asked torch for"
    return ""


def _no_replay(calls: Collection[Traced]) -> str:
    """Why the calls cannot be made again; empty where they can."""
    for traced in calls:
        is_grad = getattr(traced.expr, "name", "") in ("grad", "_grad")
        if is_grad and traced.grad_fns and traced.function is None:
            return "it is made of a .grad that a backward with create_graph=True left"
    return ""
