"""Gradients that are cleared before they are used."""

from collections.abc import Iterator, Sequence

from autograd_cli.diagnose.programs.moving import moved_behind
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.statements import called, parts
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Block, Expr, Statement
from autograd_cli.report import Finding


def cleared_too_soon(whole: Whole) -> Iterator[Finding]:
    """AGX424 where gradients are cleared between the backward and the step that should use them."""
    if not whole.ran.backwards:
        return
    for block in _blocks(whole):
        yield from _in_block(whole, block)


def _blocks(whole: Whole) -> Iterator[Block]:
    yield whole.program.statements
    for statement in whole.all_statements:
        if isinstance(statement, nodes.For | nodes.With):
            yield statement.body


def _in_block(whole: Whole, block: Block) -> Iterator[Finding]:
    """What was cleared since the last backward of the block, asked at each use."""
    cleared: dict[str, Statement] = {}
    passed = False
    for statement in block:
        if any(_calls(statement, "backward")):
            passed, cleared = True, {}
        for name in _cleared(whole, statement) if passed else ():
            cleared[name] = statement
        used = next((name for name in _used(whole, statement) if name in cleared), None)
        if used is not None:
            yield _finding(whole, used, cleared.pop(used), statement)


def _calls(statement: Statement, name: str) -> Iterator[nodes.Call]:
    for part in parts(statement):
        for node in nodes.walk(part):
            if isinstance(node, nodes.Call) and called(node) == name:
                yield node


def _cleared(whole: Whole, statement: Statement) -> Iterator[str]:
    """The optimizers, and the `.grad`, that a statement clears."""
    for call in (*_calls(statement, "zero_grad"), *_calls(statement, "zero_")):
        if isinstance(call.function, nodes.Attribute):
            yield whole.source[call.function.value.span]
    if isinstance(statement, nodes.Assign) and statement.value == nodes.Constant(None):
        yield from (whole.source[t.span] for t in statement.targets if isinstance(t, nodes.Attribute))


def _used(whole: Whole, statement: Statement) -> Iterator[str]:
    """The optimizers that a statement steps by, and the `.grad` in its updates."""
    for inner in (statement, *(statement.body if isinstance(statement, nodes.With) else ())):
        for call in _calls(inner, "step"):
            if isinstance(call.function, nodes.Attribute):
                yield whole.source[call.function.value.span]
        if isinstance(inner, nodes.Augment):
            yield from (whole.source[n.span] for n in nodes.walk(inner.value) if _is_grad(n))


def _is_grad(node: Expr) -> bool:
    return isinstance(node, nodes.Attribute) and node.name == "grad"


def _finding(whole: Whole, name: str, clear: Statement, use: Statement) -> Finding:
    lines: Sequence[int] = (whole.line(clear.span), whole.line(use.span))
    what = f"`{name}`" if name.endswith(".grad") else f"the gradients of `{name}`"
    return whole.finding(
        "AGX424",
        f"Line {lines[0]} clears {what} before line {lines[1]} uses them: that step changes nothing.",
        span=clear.span,
        fix=tuple(moved_behind(whole, clear.span, use.span, "the step")),
        cleared=lines[0],
        used=lines[1],
    )
