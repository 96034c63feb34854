"""The operands of the failing call by their names, each with its shape, its dtype or its device.

Only a script that ran here tells them. What is computed within the line has no tensor of its own there; what
the message says of it is told in its place, where it names both in their order.
"""

import re
from collections.abc import Iterator, Sequence

from autograd_cli.diagnose.logs.records import Facts, Raised
from autograd_cli.diagnose.logs.rows.called import seen
from autograd_cli.report.diagnosis import Seen
from autograd_cli.report.values import shape_text

_IN_ORDER = re.compile(r"mat1 and mat2 shapes|\b(?:mat1 and mat2|m1 and m2)\b.*same dtype")
_MOST = 4
_SIMPLE = re.compile(r"^[\w.\[\]]+(?:\([^()]*\))?$")


def gaps(raised: Raised, facts: Facts) -> Iterator[tuple[str, str]]:
    """The operands with their shapes, `shaped`, their dtypes, `typed`, and their devices, `placed`."""
    shapes = [shape_text(shape) for shape in facts.shapes]
    yield "shaped", _joined(raised, [_shape(one) for one in _tensors(raised)], shapes)
    dtypes = [None if one is None else one.dtype for one in _tensors(raised)]
    yield "typed", _joined(raised, dtypes, facts.dtypes) if len(set(dtypes)) > 1 else ""
    devices = [None if one is None else f"on {one.device}" for one in _tensors(raised)]
    yield "placed", _joined(raised, devices, ()) if len(set(devices)) > 1 else ""


def shapes(raised: Raised, facts: Facts) -> tuple[tuple[int, ...], ...]:
    """The shapes of the operands, none where one is not known."""
    tensors = [one.shape for one in _tensors(raised) if one is not None]
    return tuple(tensors) if len(tensors) == len(raised.operands) else ()


def turned(raised: Raised, facts: Facts) -> str:
    """Which of two matrices fits when it is transposed, or that none does; empty where they are none."""
    if [len(shape) for shape in facts.shapes] != [2, 2]:
        return ""
    (rows, inner), (outer, columns) = facts.shapes
    left, right = _pair(raised)
    sides = [f"{right}.mT" if right else "the right one, with .mT"] if inner == columns else []
    sides += [f"{left}.mT" if left else "the left one, with .mT"] if rows == outer else []
    if not sides:
        return (
            f"neither fits when it is transposed: change the {inner} of the left or the {outer} of the right"
        )
    return f"transpose what has its dimensions turned round: {' or '.join(sides)}"


def _pair(raised: Raised) -> tuple[str, str]:
    """The two operands as they may stand before a dot; empty where there are not two."""
    if len(raised.operands) != 2:
        return "", ""
    left, right = (one if _SIMPLE.match(one) else f"({one})" for one in raised.operands)
    return left, right


def _tensors(raised: Raised) -> list[Seen | None]:
    return [seen(raised, name) for name in raised.operands]


def _shape(tensor: Seen | None) -> str | None:
    return None if tensor is None else shape_text(tensor.shape)


def _joined(raised: Raised, known: Sequence[str | None], said: Sequence[str]) -> str:
    """Each operand with its fact; empty where one is not known and the message does not tell it."""
    if not 2 <= len(known) <= _MOST:
        return ""
    is_told = len(said) == len(known) == 2 and _IN_ORDER.search(raised.message) is not None
    facts = [fact or (f"as {said[at]}" if is_told else "") for at, fact in enumerate(known)]
    if not all(facts):
        return ""
    parts = [f"`{name}` {fact}" for name, fact in zip(raised.operands, facts, strict=True)]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
