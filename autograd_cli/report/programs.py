"""The records of a program's statements: what each made, changed and printed."""

from dataclasses import dataclass

from autograd_cli.report.kinds import Shape, Span, Values


@dataclass(frozen=True)
class Made:
    """What a name stands for after a statement.

    Of a tensor: shape, dtype, device, whether it requires grad and is a leaf, the name of
    its grad_fn, its values. Of anything else `dtype` is the name of its type, `shape` None
    and `text` what Python prints for it.
    """

    name: str
    shape: Shape | None
    dtype: str
    device: str = ""
    requires_grad: bool = False
    is_leaf: bool = True
    grad_fn: str | None = None
    value: Values = None
    text: str = ""


@dataclass(frozen=True)
class Change:
    """What a statement did to something that was there before.

    `name` is what changed: "x.grad", "z", "x.requires_grad". `kind` is "backward" (adds to a
    .grad), "in-place" (the memory was written), "set" (another object or flag stands there
    now). `added` is what a backward added. `shares` are the other names of the same memory,
    which changed with it.
    """

    name: str
    kind: str
    before: Values = None
    after: Values = None
    added: Values = None
    shares: tuple[str, ...] = ()


@dataclass(frozen=True)
class Round:
    """What one execution of a statement did: `number` counts its executions from 1."""

    number: int
    made: tuple[Made, ...] = ()
    changed: tuple[Change, ...] = ()
    printed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Statement:
    """A statement of a program and what it did when it was first executed.

    `text` is the statement without its block and trailing comment, `depth` how many blocks
    it stands in, `count` how often it was executed (0 for one that was not reached), `last`
    what it did the last time where that was another time. `claim` is what a comment said
    would be printed, where something else was. `findings` are the codes found here. `failed`
    is True of the statement that ended the run with an error. `remark` says what became of
    a statement that was stepped over, or that a handler took the error of.
    """

    line: int
    span: Span
    text: str
    depth: int = 0
    count: int = 1
    made: tuple[Made, ...] = ()
    changed: tuple[Change, ...] = ()
    printed: tuple[str, ...] = ()
    last: Round | None = None
    claim: str = ""
    findings: tuple[str, ...] = ()
    failed: bool = False
    remark: str = ""


@dataclass(frozen=True)
class Inspection:
    """All facts of one value, in order: ("shape", "(2, 3)"). `name` is that of the value.

    `rows` holds the facts at the end of the run; `before` and `after` those around the last
    backward, where there was one.
    """

    name: str
    rows: tuple[tuple[str, str], ...]
    before: tuple[tuple[str, str], ...] = ()
    after: tuple[tuple[str, str], ...] = ()
