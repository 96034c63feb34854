"""The statements and expressions of a program, wherever they stand, and edits by whole lines."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

from autograd_cli.diagnose.repair import edited
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Handler, Program, Statement
from autograd_cli.lang.source import Source


def statements(block: Sequence[Statement]) -> Iterator[Statement]:
    """Every statement of a block and of the blocks inside it, in the order of the text."""
    for statement in block:
        yield statement
        for inner in _blocks(statement):
            yield from statements(inner)


def _blocks(statement: Statement) -> Iterator[Sequence[Statement]]:
    for value in _values(statement):
        if isinstance(value, tuple) and value and isinstance(value[0], Statement):
            yield value
        elif isinstance(value, tuple) and value and isinstance(value[0], Handler):
            yield from (handler.body for handler in value)


def _values(statement: Statement) -> Iterator[object]:
    return (getattr(statement, item.name) for item in fields(statement) if item.name != "span")


def parts(statement: Statement) -> Iterator[Expr]:
    """The expressions that a statement is written of, those of its blocks aside."""
    for value in _values(statement):
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Expr):
                yield item
            elif isinstance(item, nodes.Parameter) and item.default is not None:
                yield item.default


def expressions(program: Program) -> Iterator[Expr]:
    """Every node of every expression of a program."""
    for statement in statements(program.statements):
        for part in parts(statement):
            yield from nodes.walk(part)


def calls(program: Program, *names: str) -> Iterator[nodes.Call]:
    """The calls of functions or methods of these names."""
    for node in expressions(program):
        if isinstance(node, nodes.Call) and called(node) in names:
            yield node


def called(node: Expr) -> str:
    """The last part of the name that a call calls, "" for anything else."""
    function = node.function if isinstance(node, nodes.Call) else None
    if isinstance(function, nodes.Attribute):
        return function.name
    return function.id if isinstance(function, nodes.Name) else ""


def root_of(call: nodes.Call) -> Expr | None:
    """What a backward starts from: the value before the dot, or the argument of torch.autograd.backward."""
    function = call.function
    inner = function.value if isinstance(function, nodes.Attribute) else None
    if isinstance(inner, nodes.Attribute) and inner.name == "autograd":
        return call.args[0] if call.args else None
    return inner


def around(program: Program, span: Span) -> tuple[Statement, ...]:
    """The statements that hold `span`, the outermost first."""
    return tuple(
        s for s in statements(program.statements) if s.span.start <= span.start and span.end <= s.span.end
    )


def targets(statement: Statement) -> tuple[str, ...]:
    """The names that a statement assigns."""
    if isinstance(statement, nodes.Assign):
        found = [node for target in statement.targets for node in _unpacked(target)]
    elif isinstance(statement, nodes.Augment):
        found = [statement.target]
    else:
        found = []
    return tuple(node.id for node in found if isinstance(node, nodes.Name))


def _unpacked(target: Expr) -> Iterator[Expr]:
    if isinstance(target, nodes.Sequence):
        for item in target.items:
            yield from _unpacked(item)
    else:
        yield target


# Edits


def indent_of(source: Source, offset: int) -> str:
    """The blanks before the first character of the line that holds `offset`."""
    start = source.text.rfind("\n", 0, offset) + 1
    line = source.text[start:]
    return line[: len(line) - len(line.lstrip(" \t"))]


def inserted(source: Source, statement: Statement, lines: Sequence[str]) -> str:
    """The source with lines of code put before a statement, in its block.

    On the same line, after `;`, where the statement is not the first of its line.
    """
    start = statement.span.start
    before = source.text[source.text.rfind("\n", 0, start) + 1 : start]
    if before.strip():
        joined = "".join(f"{line}; " for line in lines)
    else:
        joined = "".join(f"{line}\n{before}" for line in lines)
    return source.text[:start] + joined + source.text[start:]


def with_keyword(source: Source, call: nodes.Call, keyword: str) -> str:
    """The source with a keyword argument added to a call."""
    return edited(source, {call.span: keyword_added(source, call, keyword)})


def keyword_added(source: Source, call: nodes.Call, keyword: str) -> str:
    """The text of a call with a keyword argument added."""
    text = source[call.span]
    inside = text[:-1].rstrip()
    comma = "" if inside.endswith(("(", ",")) else ", "
    blank = " " if inside.endswith(",") else ""
    return f"{inside}{comma}{blank}{keyword})"
