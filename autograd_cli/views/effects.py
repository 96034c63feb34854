"""What a statement did, in words: names that it made, what it changed, what it printed."""

from collections.abc import Sequence
from dataclasses import dataclass

from autograd_cli.lang.source import in_words, visible
from autograd_cli.report.records import Change, Made, Report, Round, Statement, Summary, Values
from autograd_cli.report.values import count
from autograd_cli.views import numbers
from autograd_cli.views.pieces import Words, one_line, plain_text, wide, words

PRINTED = "» "
"""What stands before a line that the program printed."""

_PYTHON = "Python "

_LISTED = 32
"""A tensor whose elements take more cells is shown as its range."""

_NEAR = 3
_JOINED = 64
"""Two rounds of a loop stand in one line where that is no longer than this and fits."""


@dataclass(frozen=True)
class Effect:
    """One thing that a statement did, and a fact about it for the column beside."""

    what: Words
    fact: Words = ()


def effects(statement: Statement, report: Report, room: int | None) -> list[Effect]:
    """All that a statement did, over its rounds, in the order in which it stands in a row.

    `room` is how many cells there are, None where nothing need be cut.
    """
    if statement.count == 0:
        return [Effect(words(("not reached", "quiet")))]
    first = _did(statement, report, room)
    if statement.count == 1 and statement.last is None:
        return _claimed(first, statement.claim)
    times = f"{statement.count:,}×"
    if statement.last is None:
        return _behind(words((times, "quiet"), "  "), first) or [Effect(words((times, "quiet")))]
    return _claimed(_rounds(times, first, _did(statement.last, report, room), room), statement.claim)


def _claimed(found: list[Effect], claim: str) -> list[Effect]:
    """The effects, the first beside what a comment said would be printed."""
    if not claim:
        return found
    said = words(("comment says ", "warning"), one_line(claim))
    if len(found) == 1 and not found[0].fact:
        return [Effect(found[0].what, said)]
    return [*found, Effect(said)]


def _rounds(times: str, first: list[Effect], last: list[Effect], room: int | None) -> list[Effect]:
    """The first and the last round of a statement in a loop: one line, or one below the other."""
    head = words((times, "quiet"), "  ")
    if not first and not last:
        return [Effect(words((times, "quiet")))]
    if first == last:
        return _behind(head, first)
    if len(first) == len(last) == 1:
        joined = words(*head, ("first ", "quiet"), *first[0].what, ("   last ", "quiet"), *last[0].what)
        fact = first[0].fact if first[0].fact == last[0].fact and not _is_python(first[0]) else ()
        if wide(joined) <= min(_JOINED, room or _JOINED):
            return [Effect(joined, fact)]
    blank = words(" " * wide(head))
    told = [Effect(one.what) if one.fact in [other.fact for other in first] else one for one in last]
    return [
        *_behind(words(*head, ("first ", "quiet")), first or [_NOTHING]),
        *_behind(words(*blank, ("last  ", "quiet")), told or [_NOTHING]),
    ]


def _is_python(one: Effect) -> bool:
    return plain_text(one.fact).startswith(_PYTHON)


_NOTHING = Effect(words(("nothing", "quiet")))


def _behind(head: Words, found: list[Effect]) -> list[Effect]:
    """The effects, `head` before the first and as much blank before the others."""
    blank = words(" " * wide(head))
    return [Effect((blank if at else head) + one.what, one.fact) for at, one in enumerate(found)]


def _did(of: Statement | Round, report: Report, room: int | None) -> list[Effect]:
    made, changed, printed = of.made, of.changed, of.printed
    changes = [one for change in changed for one in _change(change)]
    lines = "".join(printed).removesuffix("\n").split("\n") if printed else []
    said = [Effect(words((PRINTED, "quiet"), (_printed(line), "printed"))) for line in lines]
    return [*_all_made(made, report, room), *changes, *said]


def _printed(line: str) -> str:
    """A line as it was printed, its blanks kept: columns of numbers stand by them."""
    return visible(line.expandtabs())


def _all_made(made: Sequence[Made], report: Report, room: int | None) -> list[Effect]:
    """Names made together stand in one row where it stays short; a function says nothing of itself."""
    told = [one for one in made if one.dtype != "function"]
    rows = [Effect(named(one), words((_fact(one, report), "op"))) for one in told]
    if len(rows) < 2:
        return rows
    what = rows[0].what + tuple(word for row in rows[1:] for word in (*words("   "), *row.what))
    facts = [text for text in dict.fromkeys(plain_text(row.fact) for row in rows) if text]
    fact = words((", ".join(facts), "op"))
    return [Effect(what, fact)] if wide(what) + wide(fact) + _NEAR <= min(room or _JOINED, _JOINED) else rows


def named(made: Made) -> Words:
    """A name and what it stands for: x = 2., loss = (10,3) -2.32 … 2.30, k = 3."""
    name = words((one_line(made.name), "name"), " = ")
    if made.shape is None:
        return name + words((_short(one_line(made.text)), "value"))
    floating = made.dtype.startswith(("float", "bfloat"))
    return name + words((tensor(made.value, made.shape, floating), "value"))


def _short(text: str) -> str:
    return text if len(text) <= 2 * _LISTED else f"{text[: 2 * _LISTED - 1]}…"


def tensor(values: Values, shape: Sequence[int], pointed: bool) -> str:
    """A tensor's number or its few elements as torch writes them, else its shape and range."""
    if values is None:
        return numbers.shape(shape) if shape else "no value"
    digits = numbers.DIGITS if not shape else 4
    if not isinstance(values, Summary) and count(values) <= numbers.MOST_LISTED:
        listed = _listed(values, digits, pointed)
        if len(listed) <= _LISTED:
            return listed
    return f"{numbers.shape(shape)} {numbers.cell(values, numbers.TIGHT)}"


def _listed(values: Values, digits: int, pointed: bool) -> str:
    if isinstance(values, tuple | list):
        return f"[{', '.join(_listed(item, digits, pointed) for item in values)}]"
    text = numbers.number(values, digits)
    return f"{text}." if pointed and text.lstrip("-").isdigit() else text


def _fact(made: Made, report: Report) -> str:
    """What there is to know of a value beside its numbers."""
    if made.shape is None:
        return "" if made.dtype == "NoneType" else f"{_PYTHON}{one_line(made.dtype)}"
    odd = [one_line(made.dtype)] if made.dtype != report.default_dtype else []
    odd += [one_line(made.device)] if made.device not in ("", report.device) else []
    if made.grad_fn:
        return ", ".join([one_line(made.grad_fn), *odd])
    if made.requires_grad:
        return ", ".join(["leaf", "requires grad", *odd])
    return ", ".join(odd or ["no grad"])


def _change(change: Change) -> list[Effect]:
    """What became of something, and on a second row the other names of its memory."""
    before, after = value(change.before), value(change.after)
    how = " = " if change.kind == "set" and change.before is None else f"  {before} → "
    what = words((one_line(change.name), "name"), how, (after, "value"))
    rows = [Effect(what, _how(change))]
    if change.shares:
        names = in_words(map(one_line, change.shares))
        verb = "shares" if len(change.shares) == 1 else "share"
        rows.append(Effect(words((f"also {names}, which {verb} its memory", "warning"))))
    return rows


def _how(change: Change) -> Words:
    if change.kind == "in-place":
        return words(("in place", "op"))
    if change.kind == "backward" and change.added is not None:
        whole = change.before is None and isinstance(change.added, tuple | list | Summary)
        return () if whole else words(("adds ", "op"), (value(change.added), "gradient"))
    return ()


def value(values: Values) -> str:
    """What something was or became: a number, few elements, a range, or None."""
    if values is None:
        return "None"
    if not isinstance(values, Summary | tuple | list):
        return numbers.number(values)
    if not isinstance(values, Summary) and count(values) <= 4:
        listed = numbers.nested(values, 4)
        if len(listed) <= _LISTED:
            return listed
    return numbers.cell(values, numbers.TIGHT)
