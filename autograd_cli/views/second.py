"""The second derivative: a block a pair of leaves, and the verdicts of `gradcheck` on them."""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from autograd_cli.report.records import Gradient, Report, Second, SecondBlock, Verdict
from autograd_cli.report.values import element
from autograd_cli.views import numbers
from autograd_cli.views.pieces import BLANK, Column, Line, Piece, Room, Table, Words, one_line, words
from autograd_cli.views.witnesses import place, style_of, values

_INDENT = 5
_MOST = 36
"""Elements of a block that are written out: a matrix of six rows and columns."""

_COLUMNS = ("second derivative", "verdict", "elements", "worst at", "off", "rounding allows")


def second(report: Report, room: Room) -> list[Piece]:
    """What is differentiated twice, and a block for each pair of leaves; nothing where none was asked for."""
    found = report.second
    if found is None:
        return []
    made: list[Piece] = list(_heading(found))
    for each in found.blocks:
        told = replace(each, sentence="torch has none") if found.error else each
        made += [_formula(found, each), *_direction(found, each)]
        made += values(as_gradient(told), report.dtype, room, _columns(report, each), _MOST)
    return made


def _columns(report: Report, each: SecondBlock) -> int:
    """The columns of a block as a matrix: its second leaf's elements, where there are several of both."""
    shapes = (one.shape for one in report.bindings if one.name == each.pair[0])
    square = len(each.shape) // 2 if each.pair[0] == each.pair[1] else len(each.shape) - 1
    first = next((len(shape) for shape in shapes if shape is not None), square)
    rows, columns = prod(each.shape[:first]), prod(each.shape[first:])
    return columns if min(rows, columns) > 1 else 0


def _direction(found: Second, each: SecondBlock) -> list[Line]:
    """What the direction in a formula is, and what the numbers below it are, which have none."""
    if not each.applied or found.kind != "hessian":
        return []
    one, other = map(one_line, each.pair)
    given = f"{one_line(each.applied)} is any direction in {other}, of its shape"
    below = f"below is the whole second derivative, a row an element of {one}"
    return [Line(words((f"{given}; {below}", "quiet")), indent=_INDENT, hang=2)]


def second_verdicts(report: Report) -> list[Piece]:
    """A row for each pair of leaves, worst first, and what the worst and the bad ones rest on."""
    found = report.second
    if found is None:
        return []
    ranked = sorted(found.blocks, key=_severity, reverse=True)
    if not ranked:
        return list(_heading(found))
    rows = tuple(_row(found, each) for each in ranked)
    shown = [each for number, each in enumerate(ranked) if not number or each.verdict is not Verdict.OK]
    grounds = [line for each in shown for line in ([] if found.error else _grounds(found, each))]
    table = Table(tuple(Column(title) for title in _COLUMNS), rows)
    return [*_heading(found), table, BLANK, *grounds, _whole(ranked)]


_ALIKE = (
    *("shape", "symbolic", "autograd", "numeric", "error_bar", "difference", "tolerance", "worst"),
    *("verdict", "odd", "kinks", "directions", "sentence"),
)
"""What a block and a gradient say in the same words."""


def as_gradient(of: SecondBlock) -> Gradient:
    """A block as a gradient in the shape of the block, for what is written of both alike."""
    alike = {name: getattr(of, name) for name in _ALIKE}
    return Gradient(name=", ".join(of.pair), formula=None, no_formula="", shapes="", **alike)


def name_of(pair: Sequence[str]) -> str:
    """What a block is called: d²/dx², d²/dx dy."""
    one, other = map(one_line, pair)
    return f"d²/d{one}²" if one == other else f"d²/d{one} d{other}"


def _heading(found: Second) -> list[Line]:
    """What the blocks are of, or why there are none; nothing where that is plain."""
    said = [f"second derivative of {one_line(found.of)}"] if found.of else []
    said += [f"second derivative: {one_line(found.sentence)}"] if found.sentence else []
    if found.error:
        at = f" of `{one_line(found.at)}`" if found.at else ""
        said.append(f"torch has no second derivative{at}: {one_line(found.error)}")
    return [Line(words((one, "quiet")), hang=2) for one in said]


def _formula(found: Second, each: SecondBlock) -> Line:
    name = _name(found, each)
    if each.formula is None:
        why = f" has no formula: {one_line(each.no_formula)}" if each.no_formula else ""
        return Line(words((name, "name"), (why, "quiet")), hang=_INDENT)
    return Line(words((name, "name"), " = ", (one_line(each.formula), "source")), whole=True)


def _name(found: Second, each: SecondBlock) -> str:
    """The name of a block; that of a product, or of a formula that is applied to one, with its direction."""
    if each.applied:
        return f"{name_of(each.pair)} · {one_line(each.applied)}"
    return name_of(each.pair) + (" · v" if found.kind == "product" else "")


def _severity(each: SecondBlock) -> tuple[float, float]:
    """What is worse comes first; a block without a verdict does not pass."""
    unknown = 0.5 + max(verdict.rank for verdict in Verdict if verdict.passes)
    rank = each.verdict.rank if each.verdict else unknown
    return rank, (each.difference or 0.0) / (each.tolerance or 1.0)


def _row(found: Second, each: SecondBlock) -> tuple[Words, ...]:
    return (
        words((_name(found, each), "name")),
        words((each.verdict.value if each.verdict else "-", style_of(each.verdict))),
        words(f"{prod(each.shape):,}"),
        words((place(as_gradient(each)) or "-", "quiet")),
        words(_small(each.difference)),
        words(_small(each.tolerance)),
    )


def _grounds(found: Second, each: SecondBlock) -> list[Line]:
    """What each witness gives at the worst element, and the sentence on it."""
    name = words((f"{_name(found, each)}{place(as_gradient(each))}", "name"))
    seen = (
        ("autograd", each.autograd, None),
        ("formula", each.symbolic, None),
        ("numeric", each.numeric, each.error_bar),
        ("numeric of the first", each.differences, each.differences_bar),
    )
    known = [
        (label, value, bar)
        for label, values, bar in seen
        if (value := element(values, each.worst)) is not None
    ]
    said = one_line(each.sentence)
    if not known:
        return [Line(name + words(f"   {said}"), indent=1, hang=3)] if said else []
    texts = numbers.in_step([value for _, value, _ in known], each.tolerance)
    for (label, _, bar), text in zip(known, texts, strict=True):
        error = "" if bar is None else f" {numbers.error_bar(bar)}"
        name += words(f"   {label} {text}", (error, "quiet"))
    return [Line(name, indent=1, hang=3), *([Line(words(said), indent=4)] if said else [])]


def _whole(ranked: Sequence[SecondBlock]) -> Line:
    """The verdict on the whole: the worst of its blocks'."""
    worst = ranked[0].verdict
    if worst is Verdict.NO_GRAPH:
        return Line(words(("the second order: ", "quiet"), (worst.value, "bad")))
    said = " · double backward against differences of autograd's first gradient, and of the function alone"
    return Line(
        words(
            ("the second order: ", "quiet"),
            (worst.value if worst else "not known", style_of(worst)),
            (said, "quiet"),
        ),
        hang=2,
    )


def _small(value: float | None) -> str:
    return "-" if value is None else numbers.distance(value)
