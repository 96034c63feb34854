"""The composition that terminal and plain text share: a report as pieces, in order."""

from collections.abc import Iterable

from autograd_cli.report.records import Binding, Output, Report
from autograd_cli.report.values import bytes_text
from autograd_cli.views import findings, numbers, program
from autograd_cli.views.examined import examination
from autograd_cli.views.inspection import inspection
from autograd_cli.views.pieces import (
    BLANK,
    Column,
    Ends,
    Piece,
    Room,
    Table,
    Words,
    natural_width,
    one_line,
    words,
)
from autograd_cli.views.relations import asked, under as beneath
from autograd_cli.views.table import graph_table
from autograd_cli.views.verdicts import verdicts

_USUAL_WIDTH = 80


def compose(report: Report, room: Room) -> list[Piece]:
    """Header, tree, lines under it, a block a gradient, findings; blank lines between."""
    if report.inspected:
        facts: list[list[Piece]] = [[_head(report)], inspection(report.inspected), *asked(report, room)]
        return list(_parted([*facts, *_findings(report, room)]))
    if room.check:
        looked_at = [*map(examination, report.examined), *asked(report, room)]
        checked = [verdicts(report, room.verbose), _second(report, room), *looked_at]
        return list(_parted([[_head(report)], *checked, *_findings(report, room)]))
    if report.statements:
        shown = [*program.blocks(report, room), _second(report, room)]
        return list(_parted(shown + _findings(report, room)))
    tree, under = graph_table(report, room) or (None, [])
    blocks: list[list[Piece]] = [
        [_header(report, tree)],
        [tree, *under] if tree else [_bindings(report)] if report.bindings else [],
        beneath(report),
        *asked(report, room),
        program.gradients(report.gradients, report.dtype, room),
        _second(report, room),
    ]
    return list(_parted(blocks + _findings(report, room)))


def _second(report: Report, room: Room) -> list[Piece]:
    """What is told of the second derivative, where there is one."""
    if report.second is None:
        return []
    from autograd_cli.views.second import second, second_verdicts  # few reports have one

    return second_verdicts(report) if room.check else second(report, room)


def _findings(report: Report, room: Room) -> list[list[Piece]]:
    return [findings.block(finding, report, room) for finding in report.findings]


def _parted(blocks: Iterable[list[Piece]]) -> Iterable[Piece]:
    """The pieces of all blocks, a blank line between two blocks."""
    first = True
    for block in filter(None, blocks):
        if not first:
            yield BLANK
        yield from block
        first = False


def _head(report: Report) -> Ends:
    """The header alone, above another view than the tree."""
    return program.header(report) if report.statements else _header(report, None)


def _header(report: Report, tree: Table | None) -> Ends:
    fill = max(_USUAL_WIDTH, natural_width(tree)) if tree else _USUAL_WIDTH
    facts = [report.dtype, report.device, f"seed {report.seed}"]
    if report.graph:
        facts.append(f"keeps {bytes_text(report.kept_bytes)}")
    return Ends(result(report), words((" · ".join(map(one_line, facts)), "quiet")), fill)


def result(report: Report) -> Words:
    """The source and its value, or that it failed."""
    if report.output is None:
        return words((one_line(report.text or report.source), "source"), "   ", ("failed", "bad"))
    said = one_line(report.output.text or report.source)
    return words((said, "source"), " = ", (_value(report.output), "value"))


def _value(output: Output) -> str:
    text = numbers.tensor(output.value)
    if output.value is None:
        return f"no value, shape {numbers.shape(output.shape)}" if output.shape is not None else "None"
    listed = not output.shape or text.startswith("[")
    return text if listed else f"{numbers.shape(output.shape)} {text}"


def _bindings(report: Report) -> Table:
    """What every name was bound to, where there is no tree that shows it."""
    columns = [
        Column(title, cut=title == "typed")
        for title in ("name", "typed", "shape", "dtype", "device", "values")
    ]
    return Table(tuple(columns), tuple(_binding(binding) for binding in report.bindings))


def _binding(binding: Binding) -> tuple[Words, ...]:
    return (
        words((one_line(binding.name), "name")),
        words((one_line(binding.text), "source")),
        words((numbers.shape(binding.shape), "shape")),
        words((one_line(binding.dtype), "shape")),
        words(one_line(binding.device)),
        words((numbers.cell(binding.value, numbers.TIGHT), "value")),
    )
