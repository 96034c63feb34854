"""Values changed behind torch's back, through .data or NumPy, between forward and backward."""

from collections.abc import Iterator

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.mutated import Victim, name_of, repairs, told, victims
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Block, Statement
from autograd_cli.report import Finding, Fix
from autograd_cli.run.traced import Passed, Traced


def unseen_change(whole: Whole) -> Iterator[Finding]:
    """AGX415 for a value that backward needed and that .data or NumPy changed before it came."""
    if not any(write.untracked for write in whole.ran.mutations.writes):
        return
    said: set[Span] = set()
    for root in _roots(whole):
        for victim in victims(whole, root, untracked=True):
            passed = _backward_after(whole, root, victim)
            span = victim.writes[0].span
            if passed is None or span in said:
                continue
            said.add(span)
            yield _finding(whole, victim, passed)


def _roots(whole: Whole) -> list[Traced]:
    """The values that a backward started from and that are still there."""
    numbers = {number for passed in whole.ran.backwards for number in passed.roots}
    return [traced for traced in whole.values if traced.number in numbers]


def _backward_after(whole: Whole, root: Traced, victim: Victim) -> Passed | None:
    """The first backward from `root` after the write; None where one came before and freed the graph."""
    from_it = [passed for passed in whole.ran.backwards if root.number in passed.roots]
    write = victim.writes[0].number
    return next((passed for passed in from_it if passed.at > write), None)


def _finding(whole: Whole, victim: Victim, passed: Passed) -> Finding:
    write, name = victim.writes[0], name_of(whole, victim)
    needed = whole.line(victim.call.expr.span)
    return whole.finding(
        "AGX415",
        f"{drawing.quoted(name)} is changed on line {whole.line(write.span)} where torch does not see it, "
        f"after line {needed} kept it for backward: the gradient of line {whole.line(passed.span)} is "
        "computed from the new values, and is wrong.",
        span=write.span,
        cause=told(whole, [victim]),
        fix=(*repairs(whole, write.span), *_moved(whole, write.span, passed)),
        changed=whole.line(write.span),
        needed=needed,
        backward=whole.line(passed.span),
    )


def _moved(whole: Whole, write: Span, passed: Passed) -> Iterator[Fix]:
    """The change put behind the backward, where both stand in one block."""
    block = _block_of(whole.program.statements, whole.statement(write))
    first, last = whole.statement(write), whole.statement(passed.span)
    if block is None or last not in block or _shares_line(whole, first) or _shares_line(whole, last):
        return
    text, lines = whole.source.text, whole.source.line_starts
    start = lines[whole.line(first.span) - 1]
    stop = _end_of_line(text, first.span.end)
    put = _end_of_line(text, last.span.end)
    moved = text[start:stop]
    rest = text[:start] + text[stop:put] + ("" if text[:put].endswith("\n") else "\n") + moved + text[put:]
    yield Fix(f"line {whole.line(first.span)} moved behind line {whole.line(last.span)}, the backward", rest)


def _end_of_line(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end + 1


def _shares_line(whole: Whole, statement: Statement) -> bool:
    line = whole.line(statement.span)
    return sum(whole.line(other.span) == line for other in whole.all_statements) > 1


def _block_of(block: Block, statement: Statement) -> Block | None:
    """The block that a statement stands in, by identity."""
    if any(each is statement for each in block):
        return block
    for each in block:
        for inner in _blocks(each):
            found = _block_of(inner, statement)
            if found is not None:
                return found
    return None


def _blocks(statement: Statement) -> Iterator[Block]:
    if isinstance(statement, nodes.For | nodes.With | nodes.Define | nodes.Try):
        yield statement.body
    if isinstance(statement, nodes.If):
        yield statement.then
        yield statement.otherwise
