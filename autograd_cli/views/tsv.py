"""The gradients as a table of tab-separated values, for awk, cut and spreadsheets.

    name  autograd  formula_value  numeric  error_bar  difference  tolerance  verdict  formula

One header line, then one row a gradient. Numbers are written in full, tensors as JSON
lists (a summary as an object), a missing value as nothing. A tab, a line break or a
backslash in a text is written \\t, \\n, \\r or \\\\, other control characters \\x1b.
"""

import json

from autograd_cli.lang.source import visible
from autograd_cli.report.json import encoded
from autograd_cli.report.records import Gradient, Report, Values

COLUMNS = (
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
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def tsv(report: Report) -> str:
    """The table, ending with a newline; only its header where there are no gradients."""
    rows = [COLUMNS, *(_row(gradient) for gradient in report.gradients)]
    return "".join("\t".join(row) + "\n" for row in rows)


def _row(gradient: Gradient) -> tuple[str, ...]:
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


def _text(text: str) -> str:
    return "".join(_ESCAPES.get(char) or visible(char) for char in text)


def _values(values: Values) -> str:
    """Numbers in full; a number that JSON lacks bare, without quotes, when it stands alone."""
    if values is None:
        return ""
    written = encoded(values)
    return written if isinstance(written, str) else json.dumps(written)
