"""One block a binding: its derivative, what each witness says, and the verdict."""

from collections.abc import Sequence
from math import prod
from typing import Any

from autograd_cli.lang.source import cells, several
from autograd_cli.report.records import MOST_ELEMENTS, Gradient, Summary, Values, Verdict, Witness
from autograd_cli.report.values import count, flat, index_of, index_text
from autograd_cli.views import numbers
from autograd_cli.views.matrix import matrix
from autograd_cli.views.pieces import Line, Room, Words, one_line, words

_NAMES = {Witness.AUTOGRAD: "autograd", Witness.SYMBOLIC: "formula", Witness.NUMERIC: "numeric"}
_INDENT = 5
_SHAPES_AT = 50
VERDICTS = {
    Verdict.OK: ("agree", "good"),
    Verdict.KINK: ("kink", "warning"),
    Verdict.PRECISION: ("precision", "warning"),
    Verdict.WRONG: ("disagree", "bad"),
    Verdict.JUMP: ("jump", "bad"),
    Verdict.DOMAIN_EDGE: ("domain edge", "bad"),
    Verdict.NO_GRAPH: ("no graph", "bad"),
    Verdict.NONDETERMINISTIC: ("not deterministic", "bad"),
}
"""Of each verdict the word that a person reads, and its style."""


GIVEN_NONE = "given-none"
OWN_NOTES = {
    "stop-gradient": "stop-gradient: what is cut off counts as a constant, here as for autograd",
    GIVEN_NONE: "autograd gives None, which counts as 0",
}
"""The sentences of notes that are about one gradient, whatever was said of another."""


def style_of(verdict: Verdict | None) -> str:
    """The style of a verdict, or of none."""
    return "quiet" if verdict is None else VERDICTS[verdict][1]


def block(gradient: Gradient, dtype: str, room: Room, notes: Sequence[str] = ()) -> list[Line]:
    """The lines about one gradient and the `notes` on it; autograd computed it in `dtype`."""
    shape = gradient.shape
    columns = shape[-1] if len(shape) > 1 and 1 < shape[-1] < prod(shape) else 0
    return [*_formula(gradient, room), *values(gradient, dtype, room, columns), *map(_note, notes)]


def values(
    gradient: Gradient, dtype: str, room: Room, columns: int = 0, most: int = numbers.MOST_LISTED
) -> list[Line]:
    """What each witness says, and the verdict: as a matrix of `columns` where those are given.

    Each element is written while there are at most `most`.
    """
    return [
        *_witnesses(gradient, room, columns, most),
        *_verdict(gradient, dtype),
        *([_note(gradient.plain_sentence)] if gradient.plain_sentence else []),
    ]


def _note(note: str) -> Line:
    return Line(words((one_line(OWN_NOTES.get(note, note)), "quiet")), indent=_INDENT, hang=2)


def nothing_flows(gradient: Gradient) -> bool:
    """Whether there is no gradient, and rightly so: no witness was asked, nothing compared."""
    witnesses = (gradient.autograd, gradient.symbolic, gradient.numeric)
    return gradient.verdict is Verdict.OK and all(values is None for values in witnesses)


def place(gradient: Gradient) -> str:
    """The index of the worst element, "[2,0]"; nothing where there is just one element."""
    return index_text(gradient.worst) if gradient.worst and prod(gradient.shape) > 1 else ""


def _formula(gradient: Gradient, room: Room) -> list[Line]:
    name = f"d/d{one_line(gradient.name)}"
    if gradient.formula is None:
        why = f" has no formula: {one_line(gradient.no_formula)}" if gradient.no_formula else ""
        return [Line(words((name, "name"), (why, "quiet")), hang=_INDENT)]
    formula, shapes = one_line(gradient.formula), one_line(gradient.shapes)
    head = words((name, "name"), " = ", (formula, "source"))
    taken = cells(f"{name} = {formula}")
    blank = " " * max(_SHAPES_AT - taken, 3)
    if shapes and room.width is not None and taken + len(blank) + cells(shapes) > room.width:
        return [Line(head, whole=True), Line(words((shapes, "shape")), indent=_INDENT)]
    return [Line(head + words((blank if shapes else ""), (shapes, "shape")), whole=True)]


def _witnesses(gradient: Gradient, room: Room, columns: int, most: int) -> list[Line]:
    given = {
        Witness.AUTOGRAD: gradient.autograd,
        Witness.SYMBOLIC: gradient.symbolic,
        Witness.NUMERIC: gradient.numeric,
    }
    known = {_NAMES[witness]: values for witness, values in given.items() if values is not None}
    known |= {"plain": gradient.plain} if gradient.plain is not None else {}
    if gradient.verdict is Verdict.NO_GRAPH and "autograd" not in known:
        return [Line(words(("autograd ", "quiet"), ("None", "bad")), indent=_INDENT)]
    if not known:
        return []
    bar = numbers.error_bar(gradient.error_bar) if gradient.error_bar is not None else ""
    bar = "between the slopes" if gradient.verdict is Verdict.KINK and prod(gradient.shape) == 1 else bar
    if not all(not isinstance(v, Summary) and (room.full or count(v) <= most) for v in known.values()):
        return _summarised(known, bar, room)
    everything = {name: list(flat(values)) for name, values in known.items()}
    return _elements(gradient, everything, bar, columns, room)


def _summarised(known: dict[str, Values], bar: str, room: Room) -> list[Line]:
    """A large gradient: its range by each witness, and how to see every element."""
    texts = {name: [numbers.tensor(values, listed=0)] for name, values in known.items()}
    size = max(count(values) for values in known.values())
    more = "" if room.full else "; --full shows more" if size > MOST_ELEMENTS else "; --full shows each"
    return [*_single(texts, bar, room), _note(f"the range of {size:,} elements{more}")]


def _elements(
    gradient: Gradient, known: dict[str, list[Any]], bar: str, columns: int, room: Room
) -> list[Line]:
    """The witnesses one below the other, element under element; a single number in one line."""
    everything = [value for items in known.values() for value in items]
    decimals = numbers.decimals_for(everything, gradient.tolerance)
    texts = {name: [numbers.fixed(v, decimals) for v in items] for name, items in known.items()}
    if all(len(items) == 1 for items in texts.values()):
        return _single(texts, bar, room)
    size = max((len(text) for items in texts.values() for text in items), default=0)
    aligned = {name: [text.rjust(size) for text in items] for name, items in texts.items()}
    if columns and (made := matrix(aligned, columns, {"numeric": f"   {bar}" if bar else ""}, _INDENT, room)):
        return made
    lines = []
    for start, stop in _pieces(gradient.shape, len(everything) // len(known), size, room):
        lines += _at(gradient.shape, start, stop, len(everything) // len(known))
        for name, items in aligned.items():
            ending = f"   {bar}" if name == "numeric" and bar else ""
            lines.append(_row(name, "  ".join(items[start:stop]), ending))
    return lines


def _single(texts: dict[str, list[str]], bar: str, room: Room) -> list[Line]:
    parts = [(name, items[0]) for name, items in texts.items()]
    made: list[Words] = [words((f"{name} ", "quiet"), (text, numbers.style(text))) for name, text in parts]
    if bar and "numeric" in texts:
        made[list(texts).index("numeric")] += words((f" {bar}", "quiet"))
    joined = made[0] + tuple(word for part in made[1:] for word in (*words("   "), *part))
    if room.width is None or _INDENT + sum(cells(word.text) for word in joined) <= room.width:
        return [Line(joined, indent=_INDENT)]
    ending = {"numeric": f" {bar}" if bar else ""}
    return [_row(name, text, ending.get(name, "")) for name, text in parts]


def _row(name: str, text: str, ending: str) -> Line:
    return Line(
        words((f"{name:<8}  ", "quiet"), (text, numbers.style(text)), (ending, "quiet")), indent=_INDENT
    )


def _pieces(shape: Sequence[int], total: int, size: int, room: Room) -> list[tuple[int, int]]:
    """Which elements stand in one row: all of a few, else the last dimension as far as it fits."""
    fitting = 10 if room.width is None else max((room.width - _INDENT - 22) // (size + 2), 1)
    if total <= fitting or (room.width is None and total <= numbers.MOST_LISTED):
        return [(0, total)]
    last = shape[-1] if shape and 1 < shape[-1] < total else total
    starts = [(row, row + piece) for row in range(0, total, last) for piece in range(0, last, fitting)]
    return [(start, min(start + fitting, row + last)) for row, start in starts]


def _at(shape: Sequence[int], start: int, stop: int, total: int) -> list[Line]:
    """A line that says where a row of elements begins, when there are several rows."""
    if (start, stop) == (0, total):
        return []
    return [Line(words((f"from {index_text(index_of(start, shape))}", "quiet")), indent=_INDENT)]


def _verdict(gradient: Gradient, dtype: str) -> list[Line]:
    if gradient.verdict is None:
        said = one_line(gradient.sentence)
        return [Line(words((said, "quiet")), indent=_INDENT, hang=2)] if said else []
    if nothing_flows(gradient):
        said = f"no gradient flows: {one_line(gradient.sentence)}"
        return [Line(words(said), indent=_INDENT, hang=2)]
    word, style = VERDICTS[gradient.verdict]
    parts = [*_grounds(gradient, dtype), _along(gradient)]
    rest = "".join(f" · {part}" for part in parts if part)
    return [Line(words((word, style), rest), indent=_INDENT, hang=2)]


def _grounds(gradient: Gradient, dtype: str) -> list[str]:
    """What a verdict rests on: the report's own sentence, else the distances and kinks."""
    measured, said = _measured(gradient, dtype), one_line(gradient.sentence)
    if gradient.odd is not None and gradient.verdict is Verdict.WRONG:
        return [measured, said]
    if said or not gradient.kinks:
        return [said or measured]
    return [f"at a kink in {several(gradient.kinks, 'element')}"]


def _measured(gradient: Gradient, dtype: str) -> str:
    """How far autograd, or the witness that is the odd one out, is from the others."""
    if gradient.difference is None:
        return f"{_NAMES[gradient.odd]} is the odd one out" if gradient.odd else ""
    if gradient.difference == 0 and gradient.odd is None:
        return f"autograd ({dtype}) is exact"
    where = f" at {place(gradient)}" if place(gradient) else ""
    off = f"{numbers.small(gradient.difference)} off{where}"
    allowed = (
        f"; rounding allows {numbers.distance(gradient.tolerance)}" if gradient.tolerance is not None else ""
    )
    if gradient.odd is None and numbers.off(gradient):
        return f"autograd ({dtype}) is within the error bar of the numeric slope{where}{allowed}"
    if gradient.odd is None:
        return f"autograd ({dtype}) is {off}{allowed}"
    return f"{_NAMES[gradient.odd]} is the odd one out, {off}{allowed}"


def _along(gradient: Gradient) -> str:
    if gradient.directions is None:
        return ""
    return f"numeric along {several(gradient.directions, 'random direction')}"
