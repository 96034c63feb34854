"""What gradcheck measured beside the witnesses: the evidence of each verdict, and of the whole."""

from dataclasses import dataclass

from autograd_cli.report.kinds import Shape, Span, Values, Verdict, Witness


@dataclass(frozen=True)
class Sides:
    """The one-sided slopes at an element where there are two, and whether autograd's lies between."""

    index: Shape
    left: float
    right: float
    autograd: float
    between: bool


@dataclass(frozen=True)
class Element:
    """One element of a gradient: what autograd gives, the references in float64, what rounding allows."""

    index: Shape
    autograd: float
    reference: float
    numeric: float | None
    difference: float
    tolerance: float


@dataclass(frozen=True)
class Cut:
    """An expression that lets no gradient pass, though what it is made of requires one.

    Inside of a person's own callable `place` is its file and line, `text` what stands there, and
    `span` and `line` are those of the call in the source.
    """

    text: str
    span: Span | None = None
    line: int | None = None
    place: str = ""


@dataclass(frozen=True)
class Guilty:
    """A node that is wrong when it is checked alone, at the values that the run gave it.

    `text` is its sub-expression, `node` its grad_fn or function, `operand` what it was differentiated by.
    `odd` is the witness that is wrong: autograd's vjp, or the formula's rule. `given` is what that says
    at the worst element and `reference` what is right there; `relative` is how far off it is for its size.
    """

    text: str
    node: str
    operand: str
    odd: Witness | None
    given: float | None
    reference: float | None
    relative: float | None
    sentence: str = ""
    span: Span | None = None
    line: int | None = None


@dataclass(frozen=True)
class Loss:
    """The node that adds most of the rounding error: `arrives` and `leaves` are relative errors."""

    text: str
    arrives: float
    leaves: float
    span: Span | None = None
    line: int | None = None


@dataclass(frozen=True)
class Forward:
    """The slopes by forward mode (jvp) in float64: by element, or along some `directions`.

    `sentence` says why there are none, or where they disagree with autograd's backward.
    """

    values: Values
    directions: int | None
    difference: float | None
    agrees: bool | None
    sentence: str = ""


@dataclass(frozen=True)
class Grounds:
    """What the verdict on one gradient rests on.

    `order` is that of the Taylor remainder: 2 where the gradient is right, 1 where it is wrong, None
    where it tells nothing, as of a linear function. `elements` are the worst ones, worst first. `fixed`
    is the verdict under a fixed random state, where runs differ. `cuts` are where the graph is cut, and
    `uncut` the slopes without that. `alone` counts the nodes that were checked each alone. `outputs`
    says how an output of several numbers was covered. `next` is what to do now.
    """

    order: float | None = None
    sides: tuple[Sides, ...] = ()
    elements: tuple[Element, ...] = ()
    fixed: Verdict | None = None
    cuts: tuple[Cut, ...] = ()
    uncut: Values = None
    guilty: tuple[Guilty, ...] = ()
    alone: int | None = None
    loss: Loss | None = None
    forward: Forward | None = None
    outputs: str = ""
    next: str = ""


@dataclass(frozen=True)
class Repeat:
    """Two runs without restoring the random state: whether they differ, and the first value that does."""

    differs: bool
    text: str = ""
    first: Values = None
    second: Values = None
    span: Span | None = None
    line: int | None = None


@dataclass(frozen=True)
class Asked:
    """What torch.autograd.gradcheck says of the same function, and why that is not what agx says."""

    passed: bool | None
    said: str
    differs: str = ""


@dataclass(frozen=True)
class Checks:
    """What was asked of the run as a whole."""

    repeat: Repeat | None = None
    torch: Asked | None = None
