"""Quotients of whole numbers in a program: what is cut off goes on into what is computed with.

Each is tried with the plain division. Where the program then fails, the whole number was needed: it
counts rounds, places or sizes. Where it runs, and a gradient or a number comes out other, it was not.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from autograd_cli.diagnose.dividing import (
    FLOORED,
    Quotient,
    counts_places,
    is_of_quotient,
    quotients,
    sentence,
    without_slope,
)
from autograd_cli.diagnose.programs.both_ways import compared, first_of
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.scene import Whole, reachable
from autograd_cli.diagnose.programs.trial import rerun
from autograd_cli.diagnose.programs.upstream import sources
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import inserted, parts
from autograd_cli.errors import LimitError
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.report import Finding, Fix
from autograd_cli.run.traced import Ran, Traced, now

_MOST = 4
"""Divisions that are tried."""

_MARK = "agx:"


@dataclass(frozen=True)
class _Place:
    """A division with its statement, and the program with the plain one."""

    quotient: Quotient
    statement: Statement
    program: str


def cut_off(whole: Whole) -> Iterator[Finding]:
    """AGX507 where a whole quotient is computed with, and the plain one gives other numbers."""
    if whole.ran.failure is not None or ("div" not in whole.source.text and "//" not in whole.source.text):
        return
    for place in list(_places(whole))[:_MOST]:
        values = _values(whole, place)
        if values is not None and values[0] != values[1]:
            yield from _judged(whole, place, *values)


def undifferentiated(case: Ended) -> Finding | None:
    """AGX507 where a backward comes through a whole quotient, which torch has no derivative of."""
    if not is_of_quotient(case):
        return None
    every = reachable([operand.argument for operand in case.roots])
    spans = {each.expr.span for each in every if each.function and each.function.name in FLOORED}
    return without_slope(case, [each for each in _every_quotient(case.whole) if each.span in spans])


def _every_quotient(whole: Whole) -> Iterator[Quotient]:
    for statement in whole.all_statements:
        yield from (found for part in parts(statement) for found in quotients(whole.source, part))
        if isinstance(statement, nodes.Augment) and statement.op == "//":
            yield _of_augment(whole, statement)


def _places(whole: Whole) -> Iterator[_Place]:
    for statement in whole.all_statements:
        site = whole.sites.get(statement.span)
        if site is None or not site.count or isinstance(statement, nodes.For):
            continue
        for part in parts(statement):
            for found in quotients(whole.source, part):
                if not _counts(whole, found):
                    yield _Place(found, statement, edited(whole.source, {found.span: found.plain}))
        yield from _augmented(whole, statement)


def _augmented(whole: Whole, statement: Statement) -> Iterator[_Place]:
    """`x //= n`."""
    if not isinstance(statement, nodes.Augment) or statement.op != "//":
        return
    found = _of_augment(whole, statement)
    if not _counts(whole, found):
        program = edited(whole.source, {statement.span: f"{found.assigned}{found.plain}"})
        yield _Place(found, statement, program)


def _of_augment(whole: Whole, statement: nodes.Augment) -> Quotient:
    target, value = whole.source[statement.target.span], whole.source[statement.value.span]
    value = value if isinstance(statement.value, nodes.Name | nodes.Number) else f"({value})"
    texts = (f"{target} // {value}", f"{target} / {value}")
    return Quotient(statement.span, statement.target, statement.value, *texts, f"{target} = ")


def _counts(whole: Whole, quotient: Quotient) -> bool:
    """Whether rounds or places are counted: a loop's variable is divided, or the remainder is used too."""
    loops = {n.id for s in whole.all_statements if isinstance(s, nodes.For) for n in _names(s.target)}
    for side in (quotient.left, quotient.right):
        if loops & {name.id for name in _names(side)} or counts_places(side):
            return True
        if any(counts_places(source.value) for source in sources(whole, side, side.span.start)):
            return True
    texts = [whole.source[side.span] for side in (quotient.left, quotient.right)]
    return any(_is_remainder(whole, node, texts) for s in whole.all_statements for node in _every(s))


def _is_remainder(whole: Whole, node: Expr, texts: list[str]) -> bool:
    is_mod = isinstance(node, nodes.Binary) and node.op == "%"
    return is_mod and [whole.source[node.left.span], whole.source[node.right.span]] == texts  # type: ignore[attr-defined]


def _every(statement: Statement) -> Iterator[Expr]:
    for part in parts(statement):
        yield from nodes.walk(part)


def _names(expr: Expr) -> list[nodes.Name]:
    return [node for node in nodes.walk(expr) if isinstance(node, nodes.Name)]


# The two quotients


def _values(whole: Whole, place: _Place) -> tuple[Any, Any] | None:
    """The whole quotient and the plain one, where it is first computed; None where they are not known."""
    found = place.quotient
    line = f"print('{_MARK}', {_listing(found.whole)}, {_listing(found.plain)}, sep='|')"
    ran = _ran(whole, inserted(whole.source, place.statement, [line]))
    told = [text for text in "".join(ran.printed).splitlines() if text.startswith(_MARK)] if ran else []
    if not told:
        return None
    try:
        one, two = (ast.literal_eval(text) for text in told[0].split("|")[1:])
    except (ValueError, SyntaxError):
        return None
    return (one, two) if _is_whole(one) else None


def _listing(text: str) -> str:
    """A quotient as plain numbers, whether it is a tensor or a number."""
    return f"({text}).tolist() if torch.is_tensor({text}) else ({text})"


def _is_whole(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_whole, value))
    return isinstance(value, int)


def _is_zero(value: Any) -> bool:
    return all(map(_is_zero, value)) if isinstance(value, list) else value == 0


def _ran(whole: Whole, text: str) -> Ran | None:
    try:
        return rerun(whole.ran, text)
    except LimitError:
        return None


# What comes of it


def _judged(whole: Whole, place: _Place, one: Any, two: Any) -> Iterator[Finding]:
    again = _ran(whole, place.program)
    if again is None or again.failure is not None:
        return
    both = first_of(compared(whole, place.program))
    other = _others(whole.ran, again)
    if both is None and not other and not _is_zero(one):
        return
    lines = both.lines("with the fix") if both else tuple(other[:2])
    yield whole.finding(
        "AGX507",
        sentence(place.quotient, _short(one), _short(two)),
        span=place.quotient.span,
        cause=lines,
        fix=(Fix(f"line {whole.line(place.quotient.span)}:  {place.quotient.plain}", place.program),),
        quotient=one,
        plain=two,
        **({"off": both.off} if both else {}),
    )


def _others(one: Ran, two: Ran) -> list[str]:
    """The floating numbers that come out other, by name."""
    found = []
    for name, held in one.names.items():
        first, second = _floats(held), _floats(two.names.get(name))
        if first is not None and second is not None and first != second:
            found.append(f"{name} is {_short(first)}, with the fix {_short(second)}")
    return found


def _floats(held: Any) -> Any:
    """What a name stands for, where it is floating numbers."""
    value = now(held).value if isinstance(held, Traced) else held
    if isinstance(value, torch.Tensor) and value.is_floating_point() and not value.is_meta:
        return value.detach().tolist()
    return value if isinstance(value, float) else None


def _short(value: Any) -> str:
    if isinstance(value, list):
        few = [_short(each) for each in value[:4]]
        return f"[{', '.join([*few, '…'] if len(value) > 4 else few)}]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
