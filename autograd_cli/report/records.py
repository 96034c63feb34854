"""The records of a report. Each is frozen, holds plain data and goes to JSON as it is.

What stands once a node is a named tuple, since a graph may have a million nodes and a
frozen dataclass takes five times as long to make; all others are dataclasses.

Numbers are Python's: a float that is not finite stays a float here and becomes
"nan", "inf" or "-inf" in JSON. Shapes are tuples of ints, spans are (start, end) in
characters of the source, dtypes and devices the words torch prints ("float32",
"cuda:0"). Nodes of a graph are numbered in the order in which they appear.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from autograd_cli.lang.swift import swift
from autograd_cli.report.chain import Chain as Chain, Keeping as Keeping
from autograd_cli.report.checks import (
    Asked as Asked,
    Checks as Checks,
    Cut as Cut,
    Element as Element,
    Forward as Forward,
    Grounds as Grounds,
    Guilty as Guilty,
    Loss as Loss,
    Repeat as Repeat,
    Sides as Sides,
)
from autograd_cli.report.kinds import (
    Nested as Nested,
    Severity as Severity,
    Shape as Shape,
    Span as Span,
    Summary as Summary,
    Values as Values,
    Verdict as Verdict,
    Witness as Witness,
)
from autograd_cli.report.programs import (
    Change as Change,
    Inspection as Inspection,
    Made as Made,
    Round as Round,
    Statement as Statement,
)
from autograd_cli.report.second import Second as Second, SecondBlock as SecondBlock
from autograd_cli.report.targets import (
    Concern as Concern,
    Examination as Examination,
    Slot as Slot,
    Target as Target,
)

SCHEMA = "agx.report/1"
"""What a report calls its own form, in its key `schema`."""

MOST_ELEMENTS = 1_000
"""A tensor of more elements stands in a report as its summary, unless all is asked for."""

MOST_PATHS = 4
"""A graph of more ways from the output to its leaves shows none of them."""


@swift
@dataclass(frozen=True)
class Binding:
    """A name with a value from outside. `text` is what the person typed for it.

    `role` is "leaf" (requires grad), "constant", or "index" for a name kept int64
    because it is only used as an index, mask, dim, size, count or class target.
    `converted` is True where an int, or a list of them, was made floating.
    """

    name: str
    text: str
    shape: Shape | None
    dtype: str
    device: str
    requires_grad: bool
    value: Values
    role: str
    used: bool = True
    converted: bool = False


@swift
@dataclass(frozen=True)
class Output:
    """The value of the source. `gradient` is the cotangent that backward started from."""

    text: str
    value: Values
    shape: Shape | None
    dtype: str
    device: str
    grad_fn: str | None
    requires_grad: bool
    gradient: Values = None


class Local(NamedTuple):
    """A local derivative: of a node's result by one of its inputs, at this run's numbers."""

    formula: str
    value: Values


class Saved(NamedTuple):
    """A tensor that a node keeps for backward; equal `storage` means shared memory."""

    name: str
    shape: Shape
    dtype: str
    bytes: int
    storage: int


class Node(NamedTuple):
    """A grad_fn of torch's graph, or (with `constant`) an operand that has none.

    `op` is torch's class name, "AccumulateGrad" for a leaf, "" for a constant.
    `text` and `span` are the expression that made it; `inside` is True for a node made
    within one call beside the call's own result (the LogSoftmax of cross_entropy).
    `gradient` is d out / d text: the cotangent that arrived here. `local` is the local
    factor when the node has one differentiable input; the edges carry one each.
    `leaf` is the name of the leaf, None elsewhere. `name` is that of the program's variable
    which holds the node's value ("y3" for `y3 = x ** 4`), or that of a parameter of a person's module
    ("f.weight"), empty where there is none. `place` is where a
    person's own function made it ("my_ops.py:12"), empty for all other nodes; `rule` is where the
    backward of their own autograd.Function stands.
    """

    id: int
    op: str
    span: Span
    text: str
    line: int
    shape: Shape | None
    dtype: str | None
    device: str | None
    value: Values
    gradient: Values
    local: Local | None = None
    saved: tuple[Saved, ...] = ()
    leaf: str | None = None
    inside: bool = False
    constant: bool = False
    name: str = ""
    place: str = ""
    rule: str = ""


class Edge(NamedTuple):
    """`from_` is computed from `to`; `slot` is the input of `from_` that `to` fills."""

    from_: int
    to: int
    slot: int
    local: Local | None = None


@dataclass(frozen=True)
class Stretch:
    """An operand that broadcasting stretched: `text` from `shape` to `to` in node `node`."""

    node: int
    text: str
    shape: Shape
    to: Shape


@swift
@dataclass(frozen=True)
class Graph:
    """torch's graph below the output: nodes by id, edges in order of slots.

    A constant operand is a Node too, so that the tree can show it; its edges are at the
    slot where it stands in the expression. `paths` are the chain lines of a scalar
    graph: for each, the leaf and the factors from the output down.
    """

    root: int | None
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    stretched: tuple[Stretch, ...] = ()
    paths: tuple["Path", ...] = ()


@swift
@dataclass(frozen=True)
class Path:
    """One way from the output down to a leaf: node ids, factors and their product."""

    leaf: str
    nodes: tuple[int, ...]
    factors: tuple[float, ...]
    product: float


@swift
@dataclass(frozen=True)
class Gradient:
    """One binding's gradient by its three witnesses, judged.

    `symbolic` is the value of `formula` in float64; `no_formula` says why there is none.
    `shapes` says how the formula gets its shape ("(3,1) = (3,10) @ (10,1)"), empty when
    that is plain. `difference` is the largest distance of autograd from the float64
    reference, `tolerance` what rounding allows at that element, `worst` its index.
    `directions` is the number of random directions of the numeric witness, None when
    every element was perturbed; `sentence` says what the verdict rests on. `plain` is a
    plain central difference in the run's dtype, where a step was given, and
    `plain_sentence` says how far off it is and whether the step is to blame. `grounds` are
    gradcheck's.
    """

    name: str
    shape: Shape
    formula: str | None
    no_formula: str
    shapes: str
    symbolic: Values
    autograd: Values
    numeric: Values
    error_bar: float | None
    difference: float | None
    tolerance: float | None
    worst: tuple[int, ...] | None
    verdict: Verdict | None
    odd: Witness | None = None
    kinks: int = 0
    directions: int | None = None
    sentence: str = ""
    notes: tuple[str, ...] = ()
    plain: Values = None
    plain_sentence: str = ""
    grounds: Grounds | None = None


@dataclass(frozen=True)
class Backward:
    """One backward call: where it stands, its root and the gradients it made.

    `root` is the name or the text of the tensor it started from; `gradients` are this
    backward's own contribution, judged; `grad_before` and `grad_after` are what `.grad` of
    each leaf held, by the leaf's name. `call` is "backward" or "grad" (torch.autograd.grad,
    which leaves `.grad` alone). `number` counts how many times this line ran a backward,
    from 1; of a loop the first and the last stand in the report, and `count` is that of all.
    """

    line: int
    root: str
    gradients: tuple[Gradient, ...]
    grad_before: dict[str, Values] = field(default_factory=dict)
    grad_after: dict[str, Values] = field(default_factory=dict)
    span: Span = (0, 0)
    call: str = "backward"
    value: Values = None
    number: int = 1
    count: int = 1


@dataclass(frozen=True)
class Fix:
    """A repair: what to do in words, the text to paste, and whether agx ran it."""

    text: str
    program: str = ""
    ran: bool = False
    passed: bool | None = None


@dataclass(frozen=True)
class Finding:
    """Something to tell the person. `code` has a page, `name` is its kebab-case label.

    `span` is the place in the source; `torch` quotes torch word for word; `cause` is the
    explanation in the person's names, line by line (drawings of shapes included);
    `evidence` is what was measured, as plain data.
    """

    code: str
    name: str
    severity: Severity
    sentence: str
    span: Span | None = None
    line: int | None = None
    torch: str = ""
    cause: tuple[str, ...] = ()
    evidence: dict[str, Any] = field(default_factory=dict)
    fix: tuple[Fix, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def leaves(self) -> frozenset[str]:
        """The names of the leaves that it is about, as far as its evidence names them."""
        said = [self.evidence.get(key) or () for key in ("bindings", "leaves")]
        names = [self.evidence.get("binding"), *said[0], *said[1]]
        return frozenset(name for name in names if isinstance(name, str))


@swift
@dataclass(frozen=True)
class Report:
    """Everything one source showed. `status` is the exit status it ends with.

    `text` is the source without the comments and blanks around it, `name` the file it
    came from. `statements`, `printed` and `backwards` are a program's, empty for an
    expression; `root` is the name of the value whose graph is shown, `output` and
    `gradients` are that value's.

    What the run was asked for beside its bindings: `default_dtype` is that of creation
    functions in the source, `mode` is "no_grad" or "inference_mode", `autocast` the dtype of
    that mode, `grad_output` the text of the cotangent; empty where nothing was asked. `targets` are
    the callables that --use brought, `examined` what gradcheck found of their autograd.Functions.
    `chain` and `saved` are None unless they were asked for.
    `checks` is what gradcheck asked of the run as a whole.
    """

    source: str
    device: str
    dtype: str
    seed: int
    kept_bytes: int
    versions: dict[str, str]
    bindings: tuple[Binding, ...]
    output: Output | None
    graph: Graph | None
    gradients: tuple[Gradient, ...]
    findings: tuple[Finding, ...]
    status: int
    text: str = ""
    name: str = ""
    statements: tuple[Statement, ...] = ()
    printed: tuple[str, ...] = ()
    backwards: tuple[Backward, ...] = ()
    inspected: Inspection | None = None
    root: str = ""
    default_dtype: str = "float32"
    mode: str = ""
    autocast: str = ""
    grad_output: str = ""
    targets: tuple[Target, ...] = ()
    examined: tuple[Examination, ...] = ()
    chain: Chain | None = None
    saved: Keeping | None = None
    checks: Checks | None = None
    second: Second | None = None
    schema: str = SCHEMA
