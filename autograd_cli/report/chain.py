"""The records of the chain rule, way by way, and of what backward keeps in memory."""

from typing import NamedTuple

from autograd_cli.report.kinds import Shape, Values

MOST_COUNTED = 10**15
"""Ways are counted one by one up to here; of more, only the power of ten is known."""


class Link(NamedTuple):
    """One step of a way: from `node` through its input `slot` to the next node.

    `formula` is the local derivative on paper, `factor` the number that the node itself has
    for it, where both results are scalars; `exact` is the formula evaluated in float64, and
    `agrees` whether the two are one number but for rounding, None where one is missing. Without a
    factor `formula` is what the node hands down on paper, `g` being what comes to it, and `agrees`
    whether the engine had that below.
    `passed` is what is handed down along this way, a scalar's number; `shape` is its shape.
    """

    node: int
    slot: int
    shape: Shape
    formula: str = ""
    factor: Values = None
    exact: float | None = None
    agrees: bool | None = None
    passed: Values = None


class Way(NamedTuple):
    """One way from the output down to a leaf: its nodes, the links between them, what it adds."""

    nodes: tuple[int, ...]
    links: tuple[Link, ...]
    contribution: Values


class Ways(NamedTuple):
    """All ways to one leaf, the node `node` of the graph.

    `number` is how many there are, None beyond MOST_COUNTED, `power` its power of ten. `ways` are
    the largest of them, `rest` is what all others add, None where there are none or their sum
    is no number. `total` is the sum of all ways, `autograd` the gradient, `difference` the
    largest distance of the two and `tolerance` what rounding allows there. `cut` are the
    constants of the graph that were computed from the leaf: no way leads through them.
    """

    leaf: str
    node: int
    shape: Shape
    number: int | None
    power: float
    ways: tuple[Way, ...]
    rest: Values = None
    total: Values = None
    autograd: Values = None
    difference: float | None = None
    tolerance: float | None = None
    cut: tuple[int, ...] = ()


class Departure(NamedTuple):
    """A node at which the engine kept something else than the nodes above hand down.

    `difference` is the largest distance, `tolerance` what rounding allows there; `expected` is
    what the nodes above it hand down, `kept` what the engine had.
    """

    node: int
    expected: Values
    kept: Values
    difference: float
    tolerance: float


class Handing(NamedTuple):
    """What the `nodes` of one call hand down together to the node `to`, on paper.

    `formula` is that in terms of `g`, what comes to the first of them; `agrees` says whether the engine
    had it, None where more came there or it is not known.
    """

    nodes: tuple[int, ...]
    to: int
    shape: Shape
    formula: str
    agrees: bool | None = None


class Chain(NamedTuple):
    """The ways from the output to each leaf, and how they compare with the engine's own numbers.

    `calls` are the calls for which torch made several nodes. `checked` counts the nodes whose cotangent
    was held against what those above them hand down; `departures` are the first of those where the two
    differ, `departed` their number. `reason` says why there is nothing to show.
    """

    leaves: tuple[Ways, ...] = ()
    checked: int = 0
    departures: tuple[Departure, ...] = ()
    departed: int = 0
    reason: str = ""
    calls: tuple[Handing, ...] = ()


class Keeping(NamedTuple):
    """What the nodes of a graph keep for backward: the bytes of each storage, by its number, and in all."""

    bytes: int = 0
    storages: tuple[int, ...] = ()
