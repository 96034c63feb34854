"""Two backwards from one loss before a step, which then uses the gradient twice."""

from collections.abc import Iterator
from itertools import pairwise

from autograd_cli.diagnose.nonfinite import flat
from autograd_cli.diagnose.programs import optimizers
from autograd_cli.diagnose.programs.amounts import written
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import called, expressions, parts, statements
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Statement
from autograd_cli.report import Change, Finding, Fix
from autograd_cli.run.traced import Passed


def doubled(whole: Whole) -> Iterator[Finding]:
    """AGX410 where a loss is gone back from twice, nothing is cleared between, and a step follows."""
    said: set[Span] = set()
    for first, second in pairwise(whole.ran.backwards):
        same = first.roots == second.roots and first.span <= second.span and second.span not in said
        if not same or not first.accumulates or not second.accumulates or _is_weighed(whole, second):
            continue
        use = _use(whole, second)
        if use is not None and not any(_clears(each) for each in _between(whole, first, second)):
            said.add(second.span)
            yield _finding(whole, first, second, use)


def _is_weighed(whole: Whole, passed: Passed) -> bool:
    """Whether a backward is given a cotangent: rows of a Jacobian are taken so."""
    plain = {"retain_graph", "create_graph"}
    return not any(
        isinstance(call, nodes.Call)
        and call.span == passed.span
        and not call.args
        and {keyword.name for keyword in call.keywords} <= plain
        for call in expressions(whole.program)
    )


def _between(whole: Whole, first: Passed, second: Passed) -> Iterator[Statement]:
    """The statements that are run between two backwards: the round of a loop where it is one place."""
    loops = whole.loops(second.span)
    if first.span == second.span:
        yield from statements(loops[-1].body) if loops else ()
        return
    for statement in whole.all_statements:
        if first.span.end <= statement.span.start and statement.span.end <= second.span.start:
            yield statement


def _clears(statement: Statement) -> bool:
    """Whether a statement empties gradients, or makes the step that uses them."""
    names = {called(node) for part in parts(statement) for node in nodes.walk(part)}
    if names & {"zero_grad", "zero_", "step"}:
        return True
    given = statement.targets if isinstance(statement, nodes.Assign) else ()
    return any(isinstance(target, nodes.Attribute) and target.name == "grad" for target in given)


def _use(whole: Whole, passed: Passed) -> Statement | None:
    """The step after a backward that uses what is in .grad: an optimizer's, or an update in place.

    None where the sum is changed itself before, as into a mean.
    """
    for statement in whole.all_statements:
        if statement.span.start < passed.span.end or isinstance(statement, nodes.With | nodes.For):
            continue
        every = [node for part in parts(statement) for node in nodes.walk(part)]
        if any(_is_step(whole, node) for node in every):
            return statement
        if _clears(statement) or (isinstance(statement, nodes.Augment) and _is_grad(statement.target)):
            return None
        if isinstance(statement, nodes.Augment) and any(_is_grad(node) for node in every):
            return statement
    return None


def _is_step(whole: Whole, node: nodes.Expr) -> bool:
    """Whether an expression is the step of an optimizer, and not of what sets its learning rate."""
    function = node.function if isinstance(node, nodes.Call) else None
    if not isinstance(function, nodes.Attribute) or function.name != "step":
        return False
    known = optimizers.optimizers(whole)
    return not isinstance(function.value, nodes.Name) or function.value.id in known


def _is_grad(node: nodes.Expr) -> bool:
    return isinstance(node, nodes.Attribute) and node.name == "grad"


def _finding(whole: Whole, first: Passed, second: Passed, use: Statement) -> Finding:
    statement = whole.statement(second.span)
    lines = [whole.line(span) for span in (first.span, second.span, use.span)]
    root = whole.source[second.span].rpartition(".backward")[0]
    again = "again in the next round" if first.span == second.span else f"again on line {lines[1]}"
    fix = Fix(f"line {lines[1]} left out", edited(whole.source, {statement.span: "pass"}))
    return whole.finding(
        "AGX410",
        f"`{root}` is gone back from on line {lines[0]} and {again}, and nothing clears the gradients "
        f"between: the step of line {lines[2]} uses them more than once.",
        span=second.span,
        cause=tuple(_sums(whole, statement)),
        fix=(Fix(f"line {lines[1]}:  once, outside of the loop") if first.span == second.span else fix,),
        first=lines[0],
        used=lines[2],
    )


def _sums(whole: Whole, statement: Statement) -> Iterator[str]:
    """What the second backward added, where the numbers are few."""
    site = whole.sites.get(statement.span)
    for change in site.first.changed if site and site.first else ():
        if change.kind == "backward" and any(flat(change.before)):
            yield _sum(change)


def _sum(change: Change) -> str:
    one, two, both = (written(values) for values in (change.before, change.added, change.after))
    return f"{change.name}: {one} + {two} = {both}" if one and two and both else f"{change.name} holds both"
