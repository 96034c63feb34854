"""From Python's syntax tree to the language's statements, by an allow-list of node types.

As in `reader`, nothing recurses: a statement with blocks has a plan, a generator that asks
for the blocks in it and gives its own node in the end.
"""

import ast
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from autograd_cli.lang import nodes, targets
from autograd_cli.lang.nodes import Block, Expr, Statement
from autograd_cli.lang.reader import WORDS, Reader
from autograd_cli.lang.refusals import (
    ANNOTATION,
    BARE_ANNOTATION,
    DECORATOR,
    DELETED,
    EXCEPTIONS,
    INNER_IMPORT,
    JUMP,
    LAST_EXCEPT,
    LOOP_ELSE,
    NESTED_DEF,
    PARAMETERS,
    RELATIVE_IMPORT,
    RETURN,
    TWICE,
    WITH_NAME,
    refusal,
)
from autograd_cli.lang.vocabulary import words


class Where(NamedTuple):
    """What stands around a statement: blocks in all, those that CPython counts, a loop, a def."""

    depth: int = 0
    counted: int = 0
    in_loop: bool = False
    in_def: bool = False

    def inside(self, **changes: Any) -> "Where":
        """The place one block deeper."""
        return self._replace(depth=self.depth + 1, **changes)

    @property
    def counting(self) -> "Where":
        """The place inside a block of which CPython takes MOST_COUNTED at most."""
        return self.inside(counted=self.counted + 1)


Plan = Generator[Any, Any, Any]
"""Asks for blocks, as the plans that read them, and returns the statement of the whole."""

MOST_COUNTED = 20
"""CPython refuses more loops, `with`s and `try`s inside each other."""


def block(reader: Reader, body: Iterable[ast.stmt]) -> Block:
    """The statements that stand for `body`, the whole of a source."""
    plans: list[Plan] = [_block(reader, body, Where())]
    answer: Any = None
    while plans:
        try:
            asked = plans[-1].send(answer)
        except StopIteration as finished:
            plans.pop()
            answer = finished.value
        else:
            plans.append(asked)
            answer = None
    return tuple(answer)


def _block(reader: Reader, body: Iterable[ast.stmt], where: Where) -> Plan:
    made: list[Statement] = []
    for statement in body:
        if not isinstance(statement, ast.Expr):  # its expression counts
            reader.count(statement)
        if where.depth > reader.max_nesting:
            raise reader.too_large(f"blocks nested more than {reader.max_nesting} deep", statement)
        if where.counted > MOST_COUNTED:
            what = f"more than {MOST_COUNTED} loops, `with`s and `try`s in each other"
            raise reader.too_large(what, statement)
        handler = STATEMENTS.get(type(statement))
        if handler is None:
            raise reader.refused(statement, refusal(statement))
        begun = handler(reader, statement, where)
        made.append(begun if isinstance(begun, Statement) else (yield begun))
    return tuple(made)


def _evaluate(reader: Reader, node: ast.Expr, where: Where) -> Statement:
    return nodes.Evaluate(reader.expression(node.value), span=reader.places.span(node))


def _assign(reader: Reader, node: ast.Assign, where: Where) -> Statement:
    found = tuple(reader.expression(target) for target in node.targets)
    for target in found:
        targets.check(reader, target)
    return nodes.Assign(found, reader.expression(node.value), span=reader.places.span(node))


def _annotated(reader: Reader, node: ast.AnnAssign, where: Where) -> Statement:
    if node.value is None:
        raise reader.refused(node, BARE_ANNOTATION)
    _check_annotation(reader, node.annotation)
    target = reader.expression(node.target)
    targets.check(reader, target)
    return nodes.Assign((target,), reader.expression(node.value), span=reader.places.span(node))


_ANNOTATIONS = frozenset(
    {
        *words("int float bool complex str list tuple None Tensor torch.Tensor torch.dtype torch.device"),
        *words("nn.Parameter torch.nn.Parameter list[float] list[int] list[torch.Tensor]"),
        "tuple[torch.Tensor, torch.Tensor]",
        "tuple[Tensor, Tensor]",
    }
)
"""Types of annotations that are stepped over."""


def _check_annotation(reader: Reader, annotation: ast.expr | None) -> None:
    """Refuse an annotation that is no plain type: Python would evaluate it."""
    if annotation is None:
        return
    span = reader.places.span(annotation)
    written = reader.places.text[span.start : span.end]
    if written.strip("\"'") not in _ANNOTATIONS:
        raise reader.refused(annotation, ANNOTATION)


def _augment(reader: Reader, node: ast.AugAssign, where: Where) -> Statement:
    target = reader.expression(node.target)
    targets.check(reader, target, augmented=True)
    value = reader.expression(node.value)
    return nodes.Augment(target, WORDS[type(node.op)], value, span=reader.places.span(node))


def _import(reader: Reader, node: ast.Import | ast.ImportFrom, where: Where) -> Statement:
    if where.depth:
        raise reader.refused(node, INNER_IMPORT)
    if isinstance(node, ast.ImportFrom) and node.level:
        raise reader.refused(node, RELATIVE_IMPORT)
    names = tuple(_imported(reader, node, alias) for alias in node.names)
    return nodes.Import(names, span=reader.places.span(node))


def _imported(reader: Reader, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> nodes.Imported:
    span = reader.places.span(alias)
    if alias.asname:
        reader.check_name(alias.asname, span)
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        return nodes.Imported(f"{module}.{alias.name}", alias.asname or alias.name, module, span=span)
    first = alias.name.partition(".")[0]
    path, name = (alias.name, alias.asname) if alias.asname else (first, first)
    return nodes.Imported(path, name, alias.name, span=span)


def _with(reader: Reader, node: ast.With, where: Where) -> Plan:
    for item in node.items:
        if item.optional_vars is not None:
            raise reader.refused(item.optional_vars, WITH_NAME)
    modes = tuple(reader.expression(item.context_expr) for item in node.items)
    body = yield _block(reader, node.body, where.counting)
    return nodes.With(modes, body, span=reader.places.span(node))


def _for(reader: Reader, node: ast.For, where: Where) -> Plan:
    if node.orelse:
        raise reader.refused(node.orelse[0], LOOP_ELSE)
    target = reader.expression(node.target)
    targets.check(reader, target)
    iterable = reader.expression(node.iter)
    body = yield _block(reader, node.body, where.counting._replace(in_loop=True))
    return nodes.For(target, iterable, body, span=reader.places.span(node))


def _if(reader: Reader, node: ast.If, where: Where) -> Plan:
    test = _test(reader, node.test)
    then = yield _block(reader, node.body, where.inside())
    otherwise = yield _block(reader, node.orelse, where.inside())
    return nodes.If(test, then, otherwise, span=reader.places.span(node))


def _test(reader: Reader, test: ast.expr) -> Expr:
    """The test of an `if`; `__name__ == "__main__"` holds of a source, as of a script that is run."""
    match test:
        case ast.Compare(ast.Name("__name__"), [ast.Eq()], [ast.Constant("__main__")]):
            return nodes.Constant(True, span=reader.places.span(test))
    return reader.expression(test)


def _define(reader: Reader, node: ast.FunctionDef, where: Where) -> Plan:
    if where.in_def:
        raise reader.refused(node, NESTED_DEF)
    if node.decorator_list:
        raise reader.refused(node.decorator_list[0], DECORATOR)
    reader.check_name(node.name, reader.places.span(node))
    parameters = tuple(_parameters(reader, node))[::-1]
    _check_annotation(reader, node.returns)
    body = yield _block(reader, node.body, where.inside(in_def=True, in_loop=False))
    return nodes.Define(node.name, parameters, body, span=reader.places.span(node))


def _parameters(reader: Reader, node: ast.FunctionDef) -> Iterator[nodes.Parameter]:
    """The parameters of a def from the last to the first: defaults belong to the last ones."""
    given = node.args
    for odd in (given.vararg, given.kwarg, *given.kwonlyargs, *given.posonlyargs):
        if odd is not None:
            raise reader.refused(odd, PARAMETERS)
    seen: set[str] = set()
    for argument, default in zip_longest(reversed(given.args), reversed(given.defaults)):
        span = reader.places.span(argument)
        if argument.arg in seen:
            raise reader.refused(argument, TWICE)
        seen.add(argument.arg)
        reader.check_name(argument.arg, span)
        _check_annotation(reader, argument.annotation)
        value = None if default is None else reader.expression(default)
        yield nodes.Parameter(argument.arg, value, span=span)


def _return(reader: Reader, node: ast.Return, where: Where) -> Statement:
    if not where.in_def:
        raise reader.refused(node, RETURN)
    value = None if node.value is None else reader.expression(node.value)
    return nodes.Return(value, span=reader.places.span(node))


def _try(reader: Reader, node: ast.Try, where: Where) -> Plan:
    inside = where.counting
    body = yield _block(reader, node.body, inside)
    handlers: list[nodes.Handler] = []
    for handler in node.handlers:
        if handler.type is None and handler is not node.handlers[-1]:
            raise reader.refused(handler, LAST_EXCEPT)
        handlers.append((yield _handler(reader, handler, inside)))
    otherwise = yield _block(reader, node.orelse, inside)
    final = yield _block(reader, node.finalbody, inside)
    return nodes.Try(body, tuple(handlers), otherwise, final, span=reader.places.span(node))


def _handler(reader: Reader, node: ast.ExceptHandler, where: Where) -> Plan:
    named = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type] if node.type else []
    for each in named:
        if not isinstance(each, ast.Name) or each.id not in ERRORS:
            raise reader.refused(each, EXCEPTIONS)
    span = reader.places.span(node)
    if node.name:
        reader.check_name(node.name, span)
    body = yield _block(reader, node.body, where)
    names = tuple(each.id for each in named if isinstance(each, ast.Name))
    return nodes.Handler(names, node.name or "", body, span=span)


def _assert(reader: Reader, node: ast.Assert, where: Where) -> Statement:
    message = None if node.msg is None else reader.expression(node.msg)
    return nodes.Assert(reader.expression(node.test), message, span=reader.places.span(node))


def _delete(reader: Reader, node: ast.Delete, where: Where) -> Statement:
    names: list[nodes.Name] = []
    for target in node.targets:
        name = reader.expression(target)
        if not isinstance(name, nodes.Name):
            raise reader.refused(target, DELETED)
        names.append(name)
    return nodes.Delete(tuple(names), span=reader.places.span(node))


def _pass(reader: Reader, node: ast.Pass, where: Where) -> Statement:
    return nodes.Pass(span=reader.places.span(node))


def _jump(reader: Reader, node: ast.Break | ast.Continue, where: Where) -> Statement:
    if not where.in_loop:
        raise reader.refused(node, JUMP)
    kind = nodes.Break if isinstance(node, ast.Break) else nodes.Continue
    return kind(span=reader.places.span(node))


ERRORS = frozenset(
    words(
        """
    ArithmeticError AssertionError AttributeError BaseException Exception FloatingPointError ImportError
    IndexError KeyError LookupError MemoryError ModuleNotFoundError NameError NotImplementedError OSError
    OverflowError RecursionError RuntimeError StopIteration SystemError TypeError UnboundLocalError
    ValueError Warning UserWarning ZeroDivisionError
    """
    )
)
"""The errors of Python that an `except` may name."""

STATEMENTS: dict[type[ast.stmt], Callable[[Reader, Any, Where], Statement | Plan]] = {
    ast.Expr: _evaluate,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augment,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.With: _with,
    ast.For: _for,
    ast.If: _if,
    ast.FunctionDef: _define,
    ast.Return: _return,
    ast.Try: _try,
    ast.Assert: _assert,
    ast.Delete: _delete,
    ast.Pass: _pass,
    ast.Break: _jump,
    ast.Continue: _jump,
}
