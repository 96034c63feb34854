"""A statement put behind another one: a change that came too early."""

from collections.abc import Iterator

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.statements import around
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Block, Statement
from autograd_cli.report import Fix


def moved_behind(whole: Whole, write: Span, backward: Span, what: str = "the backward") -> Iterator[Fix]:
    """The statement at `write` put behind the backward, with the loop or block that it alone is in."""
    last = whole.statement(backward)
    block = _block_of(whole.program.statements, last)
    first = next((s for s in around(whole.program, write) if block is not None and s in block), None)
    if first is None or first is last or isinstance(first, nodes.Define):
        return
    if _shares_line(whole, first) or _shares_line(whole, last):
        yield from _along_the_line(whole, first, last, what)
        return
    text, lines = whole.source.text, whole.source.line_starts
    start = lines[whole.line(first.span) - 1]
    stop = _end_of_line(text, first.span.end)
    put = _end_of_line(text, last.span.end)
    if put < stop:
        return
    moved = text[start:stop]
    rest = text[:start] + text[stop:put] + ("" if text[:put].endswith("\n") else "\n") + moved + text[put:]
    yield Fix(f"{_lines(whole, first)} moved behind line {whole.line(last.span)}, {what}", rest)


def _along_the_line(whole: Whole, first: Statement, last: Statement, what: str) -> Iterator[Fix]:
    """A statement put behind another on the one line that both stand on."""
    text, after = whole.source.text, _after(whole, first)
    is_one = (
        whole.line(first.span) == whole.line(last.span) and "\n" not in text[first.span.start : last.span.end]
    )
    if after is None or not is_one or last.span.start < after:
        return
    start, end = first.span
    program = f"{text[:start]}{text[after : last.span.end]}; {text[start:end]}{text[last.span.end :]}"
    moved, behind = drawing.quoted(text[start:end]), drawing.quoted(whole.source[last.span])
    yield Fix(f"{moved} moved behind {behind}, {what}", program)


def _after(whole: Whole, statement: Statement) -> int | None:
    """Where the next statement of a line begins."""
    starts = (other.span.start for other in whole.all_statements)
    return min((start for start in starts if start >= statement.span.end), default=None)


def _lines(whole: Whole, statement: Statement) -> str:
    first, last = whole.line(statement.span), whole.source.line_of(statement.span.end - 1)
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _end_of_line(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end + 1


def _shares_line(whole: Whole, statement: Statement) -> bool:
    """Whether another statement begins on the first line of one, other than what stands inside it."""
    line = whole.line(statement.span)
    inside = statement.span
    return any(
        whole.line(other.span) == line and not inside.start <= other.span.start < inside.end
        for other in whole.all_statements
    )


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
