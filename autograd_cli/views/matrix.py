"""Values of two dimensions, one witness below the other: in rows and brackets, as torch prints them."""

from collections.abc import Mapping, Sequence

from autograd_cli.lang.source import cells
from autograd_cli.views import numbers
from autograd_cli.views.pieces import Line, Room, words


def matrix(
    texts: Mapping[str, Sequence[str]], columns: int, ending: Mapping[str, str], indent: int, room: Room
) -> list[Line]:
    """A line a row of each witness, of `columns` numbers; none where that does not fit.

    `texts` are the numbers of each, of one width, `ending` what stands behind its last row.
    """
    lines = [line for name, items in texts.items() for line in _rows(name, items, columns, ending, indent)]
    width = max((line.indent + sum(cells(word.text) for word in line.words) for line in lines), default=0)
    return lines if room.width is None or width <= room.width else []


def _rows(
    name: str, items: Sequence[str], columns: int, ending: Mapping[str, str], indent: int
) -> list[Line]:
    rows = [", ".join(items[start : start + columns]) for start in range(0, len(items), columns)]
    last = len(rows) - 1
    lines = []
    for place, row in enumerate(rows):
        label, opening = (f"{name:<8}  ", "[[") if place == 0 else (" " * 10, " [")
        text = f"{opening}{row}{']]' if place == last else '],'}"
        after = ending.get(name, "") if place == last else ""
        lines.append(
            Line(words((label, "quiet"), (text, numbers.style(text)), (after, "quiet")), indent=indent)
        )
    return lines
