"""The records that a log becomes on its way to findings, and the rows that know its errors."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from autograd_cli.report.diagnosis import Frame as Frame, Placed, Seen


class CutBy(Enum):
    """How a statement keeps gradients from what it reads."""

    TAKEN_OUT = auto()
    """It takes a value out of its graph: detach, .data, item, numpy, torch.tensor."""
    STAIRCASE = auto()
    """It has an operation without a gradient: argmax, round, a comparison, a conversion to whole numbers."""
    UNRECORDED = auto()
    """It runs under no_grad or its like."""


@dataclass(frozen=True)
class Raised:
    """An error or a warning as a log has it, colours, prefixes and stamps taken off.

    `kind` is the last part of the class as printed, empty for what C++ says without one. `message` is
    whole, its lines joined by line breaks. `frames` are outermost first, `before` and `after` the lines
    around it in the log. `rank` is the process that said so, where the log tells. `cause` is the error
    that it was raised from or while handling. `line` is its number in the log, from 1.

    Where the source was at hand, `cut` is how a statement cuts the way to the loss, `carried` what leads from
    a round of a loop into the round before, and `is_stepped` whether an optimizer steps between the forward
    and the backward that failed. `rebound` is the statement that gives the name of a leaf to a result.

    Where it `is_live`, handed over by the process of a script that ran here, `tensors` are those of its
    frames, `handed` those that torch's own function was handed, by its names for them, and `operands` what
    the failing call or operator is given, as it is written. `layer` is the layer that failed and what it was
    given, and `frozen` are the modules of which no parameter requires grad.
    """

    kind: str
    message: str
    frames: tuple[Frame, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    rank: str | None = None
    is_warning: bool = False
    cause: "Raised | None" = None
    line: int = 0
    cut: CutBy | None = None
    carried: tuple[str, ...] = ()
    is_stepped: bool = False
    rebound: str = ""
    tensors: tuple[Seen, ...] = ()
    handed: tuple[Seen, ...] = ()
    operands: tuple[str, ...] = ()
    layer: str = ""
    frozen: tuple[str, ...] = ()
    is_live: bool = False


@dataclass(frozen=True)
class Facts:
    """What a message, its frames and the lines around it tell, in the order in which they tell it.

    `dtypes` are torch's names without `torch.`, `devices` as torch prints them, `shapes` are sizes of
    tensors and `sizes` single numbers of elements. `versions` are a tensor's version and the expected
    one, `op` the operation or node that is named, `index` the position, `names` quoted names. `torch`
    is the release, where the log has it.
    """

    dtypes: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()
    sizes: tuple[int, ...] = ()
    versions: tuple[int, ...] = ()
    op: str = ""
    index: int | None = None
    names: tuple[str, ...] = ()
    torch: str = ""


Text = str | Callable[[Raised, Facts], str]
"""Words of a finding: as they are, or made of what the log tells; empty ones are left out."""


def always(raised: Raised, facts: Facts) -> bool:
    """True: the fragments of a row say enough."""
    return True


@dataclass(frozen=True)
class Row:
    """What is known of one kind of error: how to know it, and what to say.

    It speaks of an error whose class is one of `kinds` (any, where that is empty) and whose message
    has one of `fragments` in it, in either case, where `when` agrees. `also` are the other kinds that
    the same message may be.
    """

    code: str
    name: str
    fragments: tuple[str, ...]
    sentence: Text
    cause: tuple[Text, ...] = ()
    fix: tuple[Text, ...] = ()
    kinds: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    when: Callable[[Raised, Facts], bool] = always


@dataclass(frozen=True)
class Log:
    """What was read of a log: how many lines, what was raised in it, and what is told of that."""

    lines: int
    raised: tuple[Raised, ...]
    findings: tuple[Placed, ...]
    status: int
