"""What a source is parsed into: the nodes of expressions, those of statements, and the Program.

Two nodes are equal when they mean the same; where they stand does not count.
"""

from dataclasses import dataclass, field
from functools import cached_property

from autograd_cli.errors import Span
from autograd_cli.lang.expressions import (
    NOWHERE as NOWHERE,
    Attribute as Attribute,
    Binary as Binary,
    Boolean as Boolean,
    Call as Call,
    Compare as Compare,
    Conditional as Conditional,
    Constant as Constant,
    Expr as Expr,
    Formatted as Formatted,
    Joined as Joined,
    Keyword as Keyword,
    Name as Name,
    Number as Number,
    Sequence as Sequence,
    Slice as Slice,
    Subscript as Subscript,
    Text as Text,
    Unary as Unary,
    children as children,
    has_effect as has_effect,
    walk as walk,
)
from autograd_cli.lang.source import Source


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement; `span` runs from its first character to its last, a block's included."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


Block = tuple[Statement, ...]


@dataclass(frozen=True)
class Evaluate(Statement):
    """An expression that stands alone."""

    value: Expr


@dataclass(frozen=True)
class Assign(Statement):
    """`target = target = value`; a target is a Name, an Attribute, a Subscript or a Sequence of targets."""

    targets: tuple[Expr, ...]
    value: Expr


@dataclass(frozen=True)
class Augment(Statement):
    """`target op= value`; `op` is written without the equals sign."""

    target: Expr
    op: str
    value: Expr


@dataclass(frozen=True)
class Imported:
    """A name that an import gives: `path` is what it stands for, "torch.nn.functional" for `F`.

    `name` is "*" for a star import. `module` is what Python would load for it, "torch.nn" for
    `import torch.nn`.
    """

    path: str
    name: str
    module: str = field(default="", compare=False)
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Import(Statement):
    """`import path as name` or `from path import a, b`."""

    names: tuple[Imported, ...]


@dataclass(frozen=True)
class With(Statement):
    """`with mode(): body`; `modes` are calls of grad modes or autocast."""

    modes: tuple[Expr, ...]
    body: Block


@dataclass(frozen=True)
class For(Statement):
    """`for target in iterable: body`."""

    target: Expr
    iterable: Expr
    body: Block


@dataclass(frozen=True)
class If(Statement):
    """`if test: then`, `else: otherwise`; an `elif` is an If in `otherwise`."""

    test: Expr
    then: Block
    otherwise: Block = ()


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function, with its default where it has one."""

    name: str
    default: Expr | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Define(Statement):
    """`def name(parameters): body`."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Block


@dataclass(frozen=True)
class Return(Statement):
    """`return value`, inside a function."""

    value: Expr | None = None


@dataclass(frozen=True)
class Handler:
    """`except errors as name: body`; no `errors` stands for all of them."""

    errors: tuple[str, ...]
    name: str
    body: Block
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Try(Statement):
    """`try: body`, its handlers, `else: otherwise`, `finally: final`."""

    body: Block
    handlers: tuple[Handler, ...]
    otherwise: Block = ()
    final: Block = ()


@dataclass(frozen=True)
class Assert(Statement):
    """`assert test, message`."""

    test: Expr
    message: Expr | None = None


@dataclass(frozen=True)
class Delete(Statement):
    """`del names`."""

    names: tuple[Name, ...]


@dataclass(frozen=True)
class Pass(Statement):
    """`pass`."""


@dataclass(frozen=True)
class Break(Statement):
    """`break`, inside a loop."""


@dataclass(frozen=True)
class Continue(Statement):
    """`continue`, inside a loop."""


@dataclass(frozen=True)
class Comment:
    """A comment of the source: its text without the `#`, and the line where it stands."""

    text: str
    line: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class Program:
    """A parsed source: its statements and where they came from.

    An expression alone is a program of one Evaluate; `comments` are by the order of the text.
    """

    source: Source = field(compare=False)
    statements: Block
    comments: tuple[Comment, ...] = field(default=(), compare=False)

    @cached_property
    def is_expression(self) -> bool:
        """Whether the source is one expression that changes nothing: a call of `print` is a program."""
        only = self.statements[0] if len(self.statements) == 1 else None
        return isinstance(only, Evaluate) and not has_effect(only.value)

    @property
    def body(self) -> Expr:
        """The expression of a source that is one."""
        only = self.statements[0]
        assert isinstance(only, Evaluate), "the source is a program"
        return only.value

    @property
    def span(self) -> Span:
        """From the first statement to the last."""
        return Span(self.statements[0].span.start, self.statements[-1].span.end)

    @property
    def text(self) -> str:
        """The source as it is written, without the comments and blanks around it."""
        return self.source[self.span]


def expression(source: Source, body: Expr) -> Program:
    """The program that evaluates `body` and does nothing else."""
    return Program(source, (Evaluate(body, span=body.span),))
