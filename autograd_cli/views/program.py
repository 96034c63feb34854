"""The composition of a program's report: its listing, its backwards, the graph of its root."""

from collections.abc import Sequence

from autograd_cli.lang.source import in_words, several
from autograd_cli.report.records import Gradient, Report, Severity
from autograd_cli.views import witnesses
from autograd_cli.views.backwards import backwards, suspicious
from autograd_cli.views.listing import failed, listing, why
from autograd_cli.views.pieces import Ends, Line, Piece, Room, Table, Words, natural_width, one_line, words
from autograd_cli.views.relations import asked, under as beneath
from autograd_cli.views.table import graph_table

_USUAL_WIDTH = 80
_MOST_NAMED = 4


def blocks(report: Report, room: Room) -> list[list[Piece]]:
    """Header, listing, backwards, graph and gradients, each a block; findings are the caller's."""
    rows = listing(report, room)
    told = _told(report)
    tree, under = graph_table(report, room) or (None, [])
    table = rows[0] if isinstance(rows[0], Table) else None
    return [
        [header(report, table)],
        rows,
        backwards(report, room, told),
        [tree, *under, *_whose(report)] if tree else [],
        beneath(report, with_chains=_multiplies(report)),
        *asked(report, room),
        gradients(told, report.dtype, room),
        *_of_others(report, room),
    ]


def header(report: Report, table: Table | None = None) -> Ends:
    """The program's name, how it went, and what it ran on."""
    fill = max(_USUAL_WIDTH, natural_width(table)) if table else _USUAL_WIDTH
    facts = [report.dtype, report.device, f"seed {report.seed}", report.mode]
    facts += [f"autocast {report.autocast}"] if report.autocast else []
    right = " · ".join(one_line(fact) for fact in facts if fact)
    return Ends(title(report), words((right, "quiet")), fill)


def title(report: Report) -> Words:
    """The program's name and how it went: accumulate.py · 3 backward calls · 1 warning."""
    name = {"": "program", "-": "standard input"}.get(report.name, one_line(report.name))
    stopped = failed(report)
    cause = why(report, stopped) if stopped else None
    parts = [words((f"failed at line {stopped.line}", "bad"))] if stopped else []
    calls = _calls(report) or ([] if stopped else [several(len(report.statements), "statement")])
    parts += [words(text) for text in calls]
    for severity, style in ((Severity.ERROR, "bad"), (Severity.WARNING, "warning")):
        count = sum(finding.severity is severity and finding is not cause for finding in report.findings)
        parts += [words((several(count, severity.value), style))] if count else []
    return words((name, "source")) + tuple(word for part in parts for word in (*words(" · "), *part))


def _calls(report: Report) -> list[str]:
    """How many backwards the program ran, those of torch.autograd.grad apart."""
    counts: dict[str, dict[object, int]] = {}
    for backward in report.backwards:
        counts.setdefault(backward.call, {})[backward.line, backward.span] = backward.count
    names = {"backward": "backward call", "grad": "autograd.grad call"}
    return [several(sum(sites.values()), names.get(call, call)) for call, sites in counts.items()]


def _whose(report: Report) -> list[Piece]:
    """The line under the tree that says whose graph it is, and how to see another."""
    if not report.root:
        return []
    roots = list(dict.fromkeys(backward.root for backward in report.backwards))
    others = [f"--root {one_line(root)}" for root in roots if root != report.root and root.isidentifier()]
    said = f"graph of {one_line(report.root)}{_which(report, roots)}"
    if others:
        named = in_words(others).replace(" and ", " or ") if len(others) <= _MOST_NAMED else "--root NAME"
        said += f"; {named} for the other{'s' if len(others) > 1 else ''}"
    return [Line(words((said, "quiet")), indent=1, hang=2)]


def _which(report: Report, roots: list[str]) -> str:
    """Which of several backwards, or of several rounds, the graph is of."""
    last = report.backwards[-1] if report.backwards else None
    if last is None or last.root != report.root:
        return ""
    if last.count > 1:
        return f" in round {last.number:,} of {last.count:,}"
    return ", the last one" if len(roots) > 1 else ""


def _multiplies(report: Report) -> bool:
    """Whether some way from the root to a leaf has more than one factor to multiply."""
    return report.graph is not None and any(len(path.nodes) > 2 for path in report.graph.paths)


def _told(report: Report) -> tuple[Gradient, ...]:
    """The gradients of the root that need a block: no row of the backwards says it all."""
    rows = {
        one.name: one
        for backward in report.backwards
        if backward.root == report.root
        for one in backward.gradients
    }
    return tuple(
        one for one in report.gradients if one.name not in rows or one.shape != () or suspicious(one)
    )


def gradients(of: Sequence[Gradient], dtype: str, room: Room) -> list[Piece]:
    """A block a gradient; a note that explains a number stands in the first block that has it."""
    made: list[Piece] = []
    said: set[str] = set()
    for gradient in of:
        notes = [note for note in gradient.notes if note in witnesses.OWN_NOTES or note not in said]
        made += witnesses.block(gradient, dtype, room, notes)
        said.update(notes)
    return made


def _of_others(report: Report, room: Room) -> list[list[Piece]]:
    """A block for what is odd in a backward of another root, under its name and line."""
    found: list[list[Piece]] = []
    for backward in report.backwards:
        odd = tuple(one for one in backward.gradients if suspicious(one))
        if odd and backward.root != report.root:
            head = words((one_line(backward.root), "source"), (f"  line {backward.line}", "quiet"))
            found.append([Line(head), *gradients(odd, report.dtype, room)])
    return found
