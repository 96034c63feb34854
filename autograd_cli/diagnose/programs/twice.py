"""A second backward over a graph whose first one freed it."""

from collections.abc import Iterator, Sequence

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.chance import draws
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.scene import reachable
from autograd_cli.diagnose.programs.ways import arguments, requires_grad
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import (
    around,
    called,
    calls,
    indent_of,
    inserted,
    keyword_added,
    parts,
    statements,
    targets,
)
from autograd_cli.errors import Span
from autograd_cli.graph.saved import is_freed
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Statement
from autograd_cli.report import Finding, Fix
from autograd_cli.run.traced import Passed, Traced

_TWICE = "backward through the graph a second time"
_ANEW = ", which draws anew"
_BACKWARDS = ("backward", "grad", "step")
_BLOCKS = (nodes.For, nodes.With, nodes.Define)


def again(case: Ended) -> Finding | None:
    """AGX411 where a backward goes through a graph that an earlier one freed: both lines, both cures."""
    if not case.says(_TWICE):
        return None
    first = _first(case)
    if first is None:
        return case.finding("AGX411", "This backward goes through a graph that an earlier one freed.")
    return None if _is_of_rounds(case, first) else _told(case, first, "AGX411")


def carried(case: Ended) -> Finding | None:
    """AGX452 where a state that is carried from round to round leads back into a graph that was freed."""
    first = _first(case) if case.says(_TWICE) else None
    return _told(case, first, "AGX452") if first and _is_of_rounds(case, first) else None


def _is_of_rounds(case: Ended, first: Passed) -> bool:
    return first.span == case.expr.span and _is_carried(case, _crossing(case, first))


def _told(case: Ended, first: Passed, code: str) -> Finding:
    crossing = _crossing(case, first)
    lines = (case.whole.line(first.span), case.line)
    return case.finding(
        code,
        _sentence(case, first, crossing),
        cause=tuple(_kept(case, crossing)),
        fix=tuple(_fixes(case, first, crossing)),
        first=lines[0],
        second=lines[1],
    )


def _first(case: Ended) -> Passed | None:
    """The backward that freed what this one needs: the last that could have, and kept nothing."""
    root = case.root
    own = {traced.number for traced in reachable([root])} if root is not None else set()
    freed = [p for p in case.whole.ran.backwards if not p.retain_graph and p.span != case.expr.span]
    same = [p for p in case.whole.ran.backwards if not p.retain_graph and p.span == case.expr.span]
    through = [p for p in (*freed, *same) if own & set(p.roots)]
    return next(iter(through or [*same[-1:], *freed[-1:]]), None)


def _crossing(case: Ended, first: Passed) -> Traced | None:
    """The newest value that both backwards go through, of two places of a program one that was freed.

    Where the first started is not always known any more: then the oldest that was freed.
    """
    if case.root is None:
        return None
    under = sorted(reachable([case.root]), key=lambda traced: -traced.number)
    older = [t for t in under if t.number < first.at and t.grad_fns and requires_grad(t)]
    if first.span == case.expr.span:
        return next(iter(older), None)
    freed = [t for t in older if any(map(is_freed, t.grad_fns))]
    roots = [traced for traced in case.whole.values if traced.number in first.roots]
    shared = {traced.number for traced in reachable(roots)}
    both = [t for t in freed or older if t.number in shared]
    return next(iter(both), None) or next(iter((freed or older)[::-1]), None)


def _sentence(case: Ended, first: Passed, crossing: Traced | None) -> str:
    turn = "round" if case.whole.loops(case.expr.span) else "call"
    if first.span == case.expr.span:
        through = f", and {_quoted(case, crossing)} leads back into it" if crossing else ""
        if crossing is not None and not _is_carried(case, crossing):
            where = case.where(crossing.expr.span)
            return (
                f"{_quoted(case, crossing)} is computed once, on {where}, and the backward of the first "
                f"{turn} freed its graph: each {turn} needs a forward of its own."
            )
        return f"The backward of the {turn} before freed its graph{through}: it cannot be gone through again."
    if case.whole.line(first.span) == case.line:
        return (
            f"The first backward of {case.where(first.span)} freed the graph that the second goes through "
            "again: what the nodes kept is gone."
        )
    return (
        f"The backward of {case.where(first.span)} freed the graph that the backward of "
        f"{case.where(case.expr.span)} goes through again: what the nodes kept is gone."
    )


def _is_carried(case: Ended, crossing: Traced | None) -> bool:
    """Whether a value is computed anew in each round, from that of the round before."""
    loops = case.whole.loops(case.expr.span)
    if crossing is None or not loops:
        return False
    return loops[-1].span.start <= crossing.expr.span.start < loops[-1].span.end


def _quoted(case: Ended, traced: Traced) -> str:
    return drawing.quoted(traced.name or case.source[traced.expr.span])


def _kept(case: Ended, crossing: Traced | None) -> Iterator[str]:
    if crossing is not None:
        where = case.where(crossing.expr.span)
        node = type(crossing.grad_fns[0]).__name__
        yield f"both go through {_quoted(case, crossing)} of {where}, by {node}"


# Cures


def _fixes(case: Ended, first: Passed, crossing: Traced | None) -> Iterator[Fix]:
    in_rounds = first.span == case.expr.span
    if in_rounds and crossing is not None and _is_carried(case, crossing):
        yield from _detached(case, crossing)
        yield from _retained(case, first.span)
        return
    both = (*_computed_again(case, first), *_retained(case, first.span))
    yield from sorted(both, key=lambda fix: fix.text.endswith(_ANEW))


def _retained(case: Ended, span: Span) -> Iterator[Fix]:
    """retain_graph=True in the first backward, and in all others from the same root but the last."""
    root = _root_text(case, case.expr)
    same = [call for call in _backwards(case) if root and _root_text(case, call) == root]
    wanted = [
        call for call in _backwards(case) if call.span == span or any(call is each for each in same[:-1])
    ]
    edits = {
        call.span: keyword_added(case.source, call, "retain_graph=True")
        for call in wanted
        if "retain_graph" not in case.source[call.span]
    }
    if edits:
        words = "; ".join(f"line {case.whole.line(at)}:  {new}" for at, new in sorted(edits.items()))
        yield Fix(words, edited(case.source, edits))


def _root_text(case: Ended, call: nodes.Expr) -> str:
    """What a backward method is called on, as it is written."""
    function = call.function if isinstance(call, nodes.Call) else None
    return case.source[function.value.span] if isinstance(function, nodes.Attribute) else ""


def _backwards(case: Ended) -> Iterator[nodes.Call]:
    return calls(case.run.program, "backward", "grad")


def _computed_again(case: Ended, first: Passed) -> Iterator[Fix]:
    """The statements that made the graph once more: before the second backward, or in each round."""
    loops = case.whole.loops(case.expr.span) if first.span == case.expr.span else ()
    place = loops[-1] if loops else case.statement
    made = _made_by(case, place)
    if not made or any(called(node) in _BACKWARDS for each in made for node in _nodes(each)):
        return
    if loops:
        yield _in_each_round(case, loops[-1], made)
    else:
        anew = _ANEW if any(map(draws, made)) else ""
        words = f"before line {case.line}:  {_told_lines(case, made)}{anew}"
        yield Fix(words, inserted(case.source, place, _moved(case, made, place)))


def _in_each_round(case: Ended, loop: nodes.For, made: Sequence[Statement]) -> Fix:
    """What is computed before a loop moved into it, before the first statement that uses it."""
    names = {name for statement in made for name in _given(statement)}
    user = next((each for each in loop.body if _reads(each) & names), loop.body[0])
    program = inserted(case.source, user, _moved(case, made, user))
    others = (
        each for each in _before(case, loop) if each not in made and each.span.start > made[0].span.start
    )
    if not any(_reads(each) & names for each in others):
        program = _without(program, case, made)
    words = f"before line {case.whole.line(user.span)}, in each round:  {_told_lines(case, made)}"
    return Fix(words, program)


def _told_lines(case: Ended, made: Sequence[Statement]) -> str:
    """The code of statements in one line, of a block its lines alone."""
    texts = [case.source[each.span] for each in made]
    if not any("\n" in text for text in texts):
        return "; ".join(texts)
    return f"what lines {case.whole.line(made[0].span)} to {case.source.line_of(made[-1].span.end)} compute"


def _moved(case: Ended, made: Sequence[Statement], place: Statement) -> list[str]:
    """The code of statements as it stands in the block of another."""
    deeper = indent_of(case.source, place.span.start).removeprefix(indent_of(case.source, made[0].span.start))
    return [case.source[each.span].replace("\n", f"\n{deeper}") for each in made]


def _without(program: str, case: Ended, made: Sequence[Statement]) -> str:
    """A program that begins as the source does, without the lines that hold these statements alone."""
    for each in reversed(made):
        start, stop = program.rfind("\n", 0, each.span.start) + 1, program.find("\n", each.span.end) + 1
        if program[start:stop].strip() == case.source[each.span]:
            program = program[:start] + program[stop:]
    return program


def _nodes(statement: Statement) -> Iterator[nodes.Expr]:
    """Every node of the expressions of a statement and of its blocks."""
    return (node for each in statements((statement,)) for part in parts(each) for node in nodes.walk(part))


def _reads(statement: Statement) -> set[str]:
    return {node.id for node in _nodes(statement) if isinstance(node, nodes.Name)}


def _given(statement: Statement) -> set[str]:
    """The names that a statement and its blocks give values to."""
    return {name for each in statements((statement,)) for name in targets(each)}


def _made_by(case: Ended, place: Statement) -> list[Statement]:
    """The statements before another, in the blocks that it stands in, that a backward's values come from."""
    if case.root is None:
        return []
    names = {t.name for t in reachable([case.root]) if t.name and t.grad_fns and arguments(t)}
    return [each for each in _before(case, place) if _given(each) & names]


def _before(case: Ended, place: Statement) -> list[Statement]:
    """The statements before another in the blocks that it stands in, definitions aside."""
    outer = around(case.run.program, place.span)[:-1]
    blocks = [case.run.program.statements, *(each.body for each in outer if isinstance(each, _BLOCKS))]
    earlier = (each for block in blocks for each in block if each.span.end <= place.span.start)
    return [each for each in earlier if not isinstance(each, nodes.Define)]


def _detached(case: Ended, crossing: Traced) -> Iterator[Fix]:
    """The state taken out of the old graph at the start of each round."""
    loops = case.whole.loops(case.expr.span)
    if not loops or not crossing.name:
        return
    first = loops[-1].body[0]
    line = f"{crossing.name} = {crossing.name}.detach()"
    words = f"before line {case.whole.line(first.span)}:  {line}"
    yield Fix(words, inserted(case.source, first, [line]))
