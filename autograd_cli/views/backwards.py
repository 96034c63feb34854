"""The table of a program's backward calls: what each added, judged on its own."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from autograd_cli.lang.source import cells
from autograd_cli.report.records import Backward, Gradient, Report, Summary, Values, Verdict
from autograd_cli.views import numbers
from autograd_cli.views.pieces import Column, Line, Piece, Room, Table, Words, natural_width, one_line, words
from autograd_cli.views.witnesses import VERDICTS

MOST_ROWS = 40


class Entry(NamedTuple):
    """A row: one leaf of one backward; `gradient` is None where no leaf was reached."""

    backward: Backward
    gradient: Gradient | None


@dataclass(frozen=True)
class Fit:
    """How roomy the table is: digits, whether formulas, the two references and shapes stand in it."""

    digits: int
    formulas: bool
    references: bool
    sizes: bool = True


_FITS = (
    Fit(numbers.DIGITS, True, True),
    Fit(numbers.TIGHT, True, True),
    Fit(numbers.DIGITS, False, True),
    Fit(numbers.TIGHT, False, True),
    Fit(numbers.TIGHT, False, True, False),
    Fit(numbers.TIGHT, False, False),
    Fit(numbers.TIGHT, False, False, False),
)
_LONGEST_FORMULA = 40


def backwards(report: Report, room: Room, told: Sequence[Gradient] = ()) -> list[Piece]:
    """Title and table, and under it the formulas that are too long for it; nothing without a backward.

    `told` are gradients that a block below says all about.
    """
    entries = list(_entries(report))
    shown = entries if room.full else entries[:MOST_ROWS]
    if not shown:
        return []
    fit, table = _fitting(shown, room)
    lines: list[Piece] = [Line(words(("each backward on its own", "source"))), table]
    if len(entries) > len(shown):
        more = f"… {len(entries) - len(shown):,} more rows; --full shows all"
        lines.append(Line(words((more, "quiet")), indent=1))
    return [*lines, *_below(shown, fit, report.root, told)]


def _entries(report: Report) -> Iterator[Entry]:
    for backward in report.backwards:
        yield from (Entry(backward, one) for one in backward.gradients)
        if not backward.gradients:
            yield Entry(backward, None)


def _fitting(entries: Sequence[Entry], room: Room) -> tuple[Fit, Table]:
    long = any(_formula_cells(entry) > _LONGEST_FORMULA for entry in entries)
    fits = [fit for fit in _FITS if not (fit.formulas and long)]
    for fit in fits:
        table = _Columns(entries, fit).table()
        if room.width is None or natural_width(table) <= room.width:
            break
    return fit, table


def _formula_cells(entry: Entry) -> int:
    return cells(entry.gradient.formula or "") if entry.gradient else 0


Maker = Callable[[], tuple[Column, list[Words]]]


class _Columns:
    """The columns of one table, each as its head and its cells from the top down."""

    def __init__(self, entries: Sequence[Entry], fit: Fit) -> None:
        self.entries = entries
        self.fit = fit
        self.gradients = [entry.gradient for entry in entries]
        known = [one for one in self.gradients if one]
        self.leaves = {one.name for one in known}
        self.scalar = all(one.shape == () for one in known)

    def table(self) -> Table:
        """The columns that these entries need, from left to right."""
        made = [make() for make in self.chosen()]
        rows = tuple(zip(*(column for _, column in made), strict=True))
        return Table(tuple(column for column, _ in made), rows)

    def chosen(self) -> Iterator[Maker]:
        """What makes each column."""
        yield self.lines
        if any(entry.backward.count > 1 for entry in self.entries):
            yield self.rounds
        yield self.outs
        if len(self.leaves) > 1:
            yield self.names
        if not self.scalar and self.fit.sizes:
            yield self.sizes
        if self.fit.formulas and any(one and one.formula for one in self.gradients):
            yield self.formulas
        yield lambda: self.witness("autograd", lambda one: one.autograd)
        if self.fit.references and any(one and one.symbolic is not None for one in self.gradients):
            yield lambda: self.witness("formula", lambda one: one.symbolic)
        if self.fit.references and any(one and one.numeric is not None for one in self.gradients):
            yield lambda: self.witness("numeric", lambda one: one.numeric)
        if any(one and one.verdict for one in self.gradients):
            yield self.verdicts
        yield self.afters

    def lines(self) -> tuple[Column, list[Words]]:
        return Column("line"), [words((str(entry.backward.line).rjust(4), "quiet")) for entry in self.entries]

    def rounds(self) -> tuple[Column, list[Words]]:
        made = [f"{entry.backward.number:,}" if entry.backward.count > 1 else "" for entry in self.entries]
        return Column("round"), [words((text, "quiet")) for text in made]

    def outs(self) -> tuple[Column, list[Words]]:
        return Column("out", cut=True), [
            words((one_line(entry.backward.root), "source")) for entry in self.entries
        ]

    def names(self) -> tuple[Column, list[Words]]:
        return Column("by"), self.each(lambda one: one_line(one.name), "name")

    def sizes(self) -> tuple[Column, list[Words]]:
        return Column("shape"), self.each(lambda one: numbers.shape(one.shape), "shape")

    def formulas(self) -> tuple[Column, list[Words]]:
        title = f"d/d{one_line(next(iter(self.leaves)))}" if len(self.leaves) == 1 else "derivative"
        return Column(title), self.each(lambda one: one_line(one.formula or numbers.MISSING), "factor")

    def each(self, make: Callable[[Gradient], str], style: str) -> list[Words]:
        """A cell for every row; - where no leaf was reached."""
        return [words((make(one) if one else numbers.MISSING, style)) for one in self.gradients]

    def witness(self, title: str, of: Callable[[Gradient], Values]) -> tuple[Column, list[Words]]:
        """What one witness says, in as many decimals as the others of its row."""
        texts = [self.text(one, of(one)) if one else numbers.MISSING for one in self.gradients]
        if self.scalar:
            texts = numbers.on_point(texts)
        return Column(title), [words((text, numbers.style(text))) for text in texts]

    def text(self, gradient: Gradient, values: Values) -> str:
        if gradient.shape != () or self.fit.digits == numbers.TIGHT:
            return numbers.cell(values, self.fit.digits)
        seen = [gradient.autograd, gradient.symbolic, gradient.numeric]
        known = [one for one in seen if not isinstance(one, Summary | tuple | list)]
        return numbers.fixed(values, numbers.decimals_for(known, gradient.tolerance))

    def verdicts(self) -> tuple[Column, list[Words]]:
        return Column(""), [self.verdict(one) for one in self.gradients]

    def verdict(self, gradient: Gradient | None) -> Words:
        if gradient is None or gradient.verdict is None:
            return words((numbers.MISSING, "quiet"))
        return words(VERDICTS[gradient.verdict])

    def afters(self) -> tuple[Column, list[Words]]:
        name = one_line(next(iter(self.leaves))) if len(self.leaves) == 1 else ""
        return Column(f"{name}.grad after"), [words(_after(entry, self.fit.digits)) for entry in self.entries]


def _after(entry: Entry, digits: int) -> str:
    """What .grad holds after a backward; a number as the sum that it is."""
    backward, gradient = entry
    if backward.call == "grad":
        return "not touched"
    if gradient is None or gradient.name not in backward.grad_after:
        return numbers.MISSING
    before, after = backward.grad_before.get(gradient.name), backward.grad_after[gradient.name]
    if isinstance(after, int | float) and isinstance(before, int | float):
        return _sum(before, gradient.autograd, after) if before else numbers.number(after)
    added = ", added up" if before is not None and _holds_something(before) else ""
    return ("None" if after is None else numbers.cell(after, digits)) + added


def _sum(before: float, added: Values, after: float) -> str:
    if not isinstance(added, int | float):
        return numbers.number(after)
    total, first, second = numbers.in_step([after, before, added])
    return f"{total} = {first} {'-' if second.startswith('-') else '+'} {second.lstrip('-')}"


def _holds_something(values: Values) -> bool:
    """Whether a gradient is anything but zeros."""
    return numbers.cell(values, numbers.TIGHT) not in ("0", "all 0")


def _below(entries: Sequence[Entry], fit: Fit, root: str, told: Sequence[Gradient]) -> Iterator[Line]:
    """The formulas that did not fit in the table, or why there is none; each once."""
    said = {(one.name, one.formula) for one in told}
    lines = (_formula(entry, fit) for entry in entries if entry.gradient and not _is_in(said, entry, root))
    for line in islice(dict.fromkeys(filter(None, lines)), MOST_ROWS):
        yield Line(line, indent=1, hang=2, whole=True)


def _is_in(said: set[tuple[str, str | None]], entry: Entry, root: str) -> bool:
    gradient = entry.gradient
    return gradient is not None and entry.backward.root == root and (gradient.name, gradient.formula) in said


def _formula(entry: Entry, fit: Fit) -> Words:
    gradient = entry.gradient
    assert gradient is not None
    name = words((f"d {one_line(entry.backward.root)}/d{one_line(gradient.name)}", "name"))
    if gradient.formula is None:
        why = one_line(gradient.no_formula)
        return name + words((f" has no formula: {why}", "quiet")) if why else ()
    return () if fit.formulas else name + words(" = ", (one_line(gradient.formula), "source"))


def suspicious(gradient: Gradient) -> bool:
    """Whether a row of the table is not all there is to say of a gradient."""
    return gradient.verdict not in (None, Verdict.OK) or bool(gradient.plain_sentence)
