"""Programs taken apart: their statements, the expressions in these, the names that they give values to."""

from collections.abc import Iterator

from autograd_cli.errors import Span
from autograd_cli.lang.nodes import (
    NOWHERE,
    Assert,
    Assign,
    Augment,
    Block,
    Define,
    Delete,
    Evaluate,
    Expr,
    For,
    If,
    Name,
    Return,
    Sequence,
    Statement,
    Try,
    With,
    walk,
)


def statements(block: Block) -> Iterator[Statement]:
    """Every statement of a block and of the blocks in it, in the order written, without recursion."""
    waiting = list(reversed(block))
    while waiting:
        top = waiting.pop()
        yield top
        waiting.extend(reversed([each for inner in blocks(top) for each in inner]))


def blocks(statement: Statement) -> tuple[Block, ...]:
    """The blocks directly in a statement, in the order written."""
    match statement:
        case If(_, then, otherwise):
            return then, otherwise
        case Try(body, handlers, otherwise, final):
            return body, *(handler.body for handler in handlers), otherwise, final
        case With(_, body) | For(_, _, body) | Define(_, _, body):
            return (body,)
    return ()


def own(statement: Statement) -> tuple[Expr, ...]:
    """The expressions of a statement itself, not of its blocks, in the order in which Python evaluates them.

    Targets of an assignment are among them.
    """
    match statement:
        case Evaluate(value):
            return (value,)
        case Assign(targets, value):
            return value, *targets
        case Augment(target, _, value):
            return target, value
        case With(modes, _):
            return modes
        case For(target, iterable, _):
            return iterable, target
        case If(test, _, _):
            return (test,)
        case Define(_, parameters, _):
            return tuple(p.default for p in parameters if p.default is not None)
        case Return(value):
            return () if value is None else (value,)
        case Assert(test, message):
            return (test,) if message is None else (test, message)
    return ()


def expressions(block: Block) -> Iterator[Expr]:
    """The expressions of every statement of a block and of the blocks in it."""
    for statement in statements(block):
        yield from own(statement)


def assigned(block: Block) -> frozenset[str]:
    """The names that a block gives values to, as Python makes them local to a `def` of that body.

    Names of functions and errors are among them, those of imports and what a `def` in it assigns are not.
    """
    found: set[str] = set()
    waiting: list[Statement] = list(block)
    while waiting:
        statement = waiting.pop()
        found.update(given(statement))
        if not isinstance(statement, Define):
            waiting += [each for inner in blocks(statement) for each in inner]
    return frozenset(found)


def given(statement: Statement) -> Iterator[str]:
    """The names that a statement itself gives values to, or takes away: to Python that is the same."""
    match statement:
        case Assign(targets, _):
            yield from (name for target in targets for name in named(target))
        case Augment(target, _, _) | For(target, _, _):
            yield from named(target)
        case Define(name, _, _):
            yield name
        case Delete(names):
            yield from (name.id for name in names)
        case Try(_, handlers, _, _):
            yield from (handler.name for handler in handlers if handler.name)


def named(target: Expr) -> Iterator[str]:
    """The names that a target is or holds: `a` and `b` of `a, (b, c[0])`."""
    waiting = [target]
    while waiting:
        top = waiting.pop()
        if isinstance(top, Name):
            yield top.id
        elif isinstance(top, Sequence):
            waiting += top.items


def first_read(block: Block, name: str) -> Span:
    """Where the name `name` stands first in the expressions of a block; NOWHERE where it does not."""
    parts = (part for each in expressions(block) for part in walk(each))
    return next((part.span for part in parts if isinstance(part, Name) and part.id == name), NOWHERE)
