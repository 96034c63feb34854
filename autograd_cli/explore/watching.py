"""The backwards of a run, each looked at before it is made and after.

Of every place where a backward is made the first and the last one are kept; what a graph
holds is read at once, since the backward frees it. Who made the nodes, and whether the
gradients are right, is asked when the run is over.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch.autograd.graph import Node as GradFn

from autograd_cli.errors import Span
from autograd_cli.explore.inspection import Rows, facts
from autograd_cli.gradients.backward import Arrived
from autograd_cli.gradients.watch import Watch
from autograd_cli.graph.read import Glance, glance
from autograd_cli.run.traced import BackwardCall, Observer, Ran, Traced


@dataclass
class Seen:
    """One backward with what was read of its graph and what came down it."""

    call: BackwardCall
    glance: Glance
    watch: Watch
    error: Exception | None = None

    @property
    def root(self) -> Traced:
        """The value that it started from, the first of several."""
        return self.call.roots[0]

    def arrived(self) -> dict[GradFn, Arrived]:
        """The cotangents by node; at a leaf that was asked for, its gradient."""
        return self.watch.arrived()

    def cotangent(self) -> torch.Tensor:
        """What was sent into the root."""
        given = self.call.cotangents[0] if self.call.cotangents else None
        return torch.ones_like(self.root.value) if given is None else given

    @property
    def name(self) -> str:
        """What the root is called: its variable; the empty string without one."""
        return self.root.name


@dataclass
class Place:
    """A place of the program where backwards are made: the first and the last that torch made."""

    span: Span
    count: int = 0
    first: Seen | None = None
    last: Seen | None = None


@dataclass
class Watching(Observer):
    """The observer of a run.

    `places` are in the order of their first backward, `failed` is a backward that torch
    did not make. `named` holds the last backward from each variable. `before` and `after`
    are the facts of the value `inspect` around the last backward.
    """

    inspect: str | None = None
    begun: Callable[[Ran], None] | None = None
    places: dict[Span, Place] = field(default_factory=dict)
    named: dict[str, Seen] = field(default_factory=dict)
    last: Seen | None = None
    failed: Seen | None = None
    before_it: Rows = ()
    after_it: Rows = ()
    _current: Seen | None = None
    _facts: Rows = ()

    def begin(self, ran: Ran) -> None:
        """Tell who wants to know that the run has begun."""
        if self.begun is not None:
            self.begun(ran)

    def before(self, call: BackwardCall) -> None:
        """Read the graph and put hooks into it, where there is one."""
        roots = [root.value for root in call.roots]
        self._current = None
        if not roots or not all(isinstance(root, torch.Tensor) and root.requires_grad for root in roots):
            return
        seen = glance(roots, with_numbers=call.round == 1)
        inputs = None if call.inputs is None else [given.value for given in call.inputs]
        if inputs is not None and not all(isinstance(given, torch.Tensor) for given in inputs):
            return
        self._facts = self._inspected(call)
        self._current = Seen(call, seen, Watch(seen.walk.nodes, inputs))

    def after(self, call: BackwardCall, error: Exception | None) -> None:
        """Take the hooks away and keep what this backward did, in place of an earlier one."""
        seen, self._current = self._current, None
        if seen is None:
            return
        seen.watch.end(stays=call.retain_graph or error is not None)
        seen.error = error
        if error is not None:
            self.failed = seen
            return
        self.last, self.failed = seen, None
        self.before_it, self.after_it = self._facts, self._inspected(call)
        if seen.name:
            self.named[seen.name] = seen
        place = self.places.setdefault(call.span, Place(call.span))
        place.count += 1
        if place.first is None:
            place.first = seen
        else:
            place.last = seen

    def _inspected(self, call: BackwardCall) -> Rows:
        if self.inspect is None:
            return ()
        return facts(call.names.get(self.inspect), call.names)

    def release(self) -> None:
        """Let go of all nodes, from the roots down."""
        every = [seen for place in self.places.values() for seen in (place.first, place.last) if seen]
        for seen in (*every, *self.named.values(), self.failed):
            if seen is not None:
                seen.watch.release()
                seen.glance.walk.release()
