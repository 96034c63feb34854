"""A report as a table of tab-separated values, for awk, cut and spreadsheets.

    name  autograd  formula_value  numeric  error_bar  difference  tolerance  verdict  formula
    row  line  round  root  before  after  node  grad_fn  shape  dtype  bytes  storage

One header line, then rows of these columns; `row` says what a row is:

    gradient   a gradient of the value of the source, or of the root that is shown
    second     the second derivative by the pair of leaves that `name` holds, x,y; behind a formula
               that is applied to a direction stands that: " · v"
    backward   what one backward of a program gave one leaf: `line` and `round` say where,
               `root` what it started from, `before` and `after` what .grad held
    made       a name that a statement made: `after` is its value, or the text of what is no tensor
    changed    what a statement changed, `before` and `after`
    printed    a line that it printed, in `after`
    step       with --steps: a node, whose text is `root`, on way `round` down to the leaf `name`: its local
               derivative as formula, the value of that and the node's own number in `autograd`, the product
               so far in `after`
    way        the nodes of way `round`, and what it adds to the gradient, in `after`
    rest       how many ways are not there, in `round`, and what they add, in `after`
    ways       how many there are, their sum in `after`, and the gradient
    kept       with --saved: what `node` keeps for backward; equal `storage` is the same memory
    keeps      the bytes of all that is kept, shared memory counted once

A program has those of its statements first, in order, then its backwards; of a loop the first
and the last round. Numbers are written in full, tensors as JSON lists (a summary as an object),
a missing value as nothing. A tab, a line break or a backslash in a text is written \\t, \\n,
\\r or \\\\, other control characters \\x1b.
"""

import json
from collections.abc import Iterator, Sequence

from autograd_cli.lang.source import visible
from autograd_cli.report.json import encoded
from autograd_cli.report.records import Backward, Gradient, Report, Round, SecondBlock, Statement, Values

GRADIENT = (
    "name",
    "autograd",
    "formula_value",
    "numeric",
    "error_bar",
    "difference",
    "tolerance",
    "verdict",
    "formula",
)
PLACE = ("row", "line", "round", "root", "before", "after")
DETAIL = ("node", "grad_fn", "shape", "dtype", "bytes", "storage")
COLUMNS = (*GRADIENT, *PLACE, *DETAIL)
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_EMPTY = ("",) * len(COLUMNS)
Row = tuple[str, ...]


def tsv(report: Report) -> str:
    """The table, ending with a newline; only its header where there is nothing to say."""
    backwards = [row for backward in report.backwards for row in _backward(backward)]
    told = {(backward.root, one.name) for backward in report.backwards for one in backward.gradients}
    alone = [one for one in report.gradients if (report.root, one.name) not in told]
    rows = [
        COLUMNS,
        *(row for statement in report.statements for row in _statement(statement)),
        *backwards,
        *(_gradient(one) + _place("gradient", root=report.root) for one in alone),
        *(_second(one) + _place("second", root=report.root) for one in _blocks(report)),
    ]
    if report.chain is not None or report.saved is not None:
        from autograd_cli.views import tsv_asked

        rows += [tuple(_cell(cells.get(column)) for column in COLUMNS) for cells in tsv_asked.rows(report)]
    return "".join("\t".join((*row, *_EMPTY[len(row) :])) + "\n" for row in rows)


def _cell(value: Values) -> str:
    return _text(value) if isinstance(value, str) else _values(value)


def _statement(statement: Statement) -> Iterator[Row]:
    """The rows of the first round of a statement and of its last."""
    rounds = [Round(1, statement.made, statement.changed, statement.printed)]
    for did in [*rounds, *([statement.last] if statement.last else [])]:
        where = {"line": str(statement.line), "round": str(did.number)}
        for made in did.made:
            after = _text(made.text) if made.shape is None else _values(made.value)
            yield _named(made.name) + _place("made", **where, after=after)
        for change in did.changed:
            values = {"before": _values(change.before), "after": _values(change.after)}
            yield _named(change.name) + _place("changed", **where, **values)
        for line in "".join(did.printed).removesuffix("\n").split("\n") if did.printed else ():
            yield _named("") + _place("printed", **where, after=_text(line))


def _backward(backward: Backward) -> Iterator[Row]:
    for one in backward.gradients:
        yield _gradient(one) + _place(
            "backward",
            line=str(backward.line),
            round=str(backward.number),
            root=backward.root,
            before=_values(backward.grad_before.get(one.name)),
            after=_values(backward.grad_after.get(one.name)),
        )


def _named(name: str) -> Row:
    return (_text(name), *("" for _ in GRADIENT[1:]))


def _place(
    row: str, line: str = "", round: str = "", root: str = "", before: str = "", after: str = ""
) -> Row:
    return (row, line, round, _text(root), before, after)


def _gradient(gradient: Gradient) -> Row:
    return (
        _text(gradient.name),
        _values(gradient.autograd),
        _values(gradient.symbolic),
        _values(gradient.numeric),
        _values(gradient.error_bar),
        _values(gradient.difference),
        _values(gradient.tolerance),
        gradient.verdict.value if gradient.verdict else "",
        _text(gradient.formula or ""),
    )


def _blocks(report: Report) -> Sequence[SecondBlock]:
    return report.second.blocks if report.second else ()


def _second(block: SecondBlock) -> Row:
    applied = f" · {block.applied}" if block.applied else ""
    return (
        _text(",".join(block.pair)),
        _values(block.autograd),
        _values(block.symbolic),
        _values(block.numeric),
        _values(block.error_bar),
        _values(block.difference),
        _values(block.tolerance),
        block.verdict.value if block.verdict else "",
        _text(f"{block.formula or ''}{applied}"),
    )


def _text(text: str) -> str:
    return "".join(_ESCAPES.get(char) or visible(char) for char in text)


def _values(values: Values) -> str:
    """Numbers in full; a number that JSON lacks bare, without quotes, when it stands alone."""
    if values is None:
        return ""
    written = encoded(values)
    return written if isinstance(written, str) else json.dumps(written)
