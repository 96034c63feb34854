"""Which of the errors of a log is the one that matters, and what is told of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from autograd_cli.diagnose.logs import facts as facts_of
from autograd_cli.diagnose.logs.records import Facts, Frame, Raised, Row, Text
from autograd_cli.diagnose.logs.rows import ROWS
from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.report.diagnosis import Placed

_OTHERS = re.compile(r"[\\/](?:tensorflow|keras|jax|jaxlib|mxnet|paddle|theano)[\\/]")
_TORCH = re.compile(r"(?:^|[\\/])(?:torch|functorch|accelerate)[\\/]|[\\/](?:pytorch_)?lightning")
_CELL = re.compile(r"^(?:<|In ?\[)")
_RAN_OUT = re.compile(r"(?i)^(?:cuda|hip|mps|xpu)\b.{0,20}out of memory")
_RAISES = re.compile(r"raise \w*(?:Error|Exception)\(")
_MOST_WARNINGS = 5
_SHORTEST_CUT = 40


@dataclass(frozen=True)
class Known:
    """An error that a row speaks of."""

    raised: Raised
    facts: Facts
    row: Row


def known(raised: Sequence[Raised]) -> tuple[Known, ...]:
    """Of each error the first that a row speaks of, from its root on; in the order of the log."""
    found = (next(filter(None, map(_known, _chain(one))), None) for one in raised)
    return tuple(one for one in found if one is not None)


def _in_one(raised: Raised) -> Raised:
    """The error with its message in one line, as it was before a terminal broke it within words."""
    return replace(raised, message=raised.message.replace("\n", ""))


def chosen(found: Sequence[Known]) -> tuple[Known, ...]:
    """The one error that matters, else the warnings, each of them once."""
    errors = [one for one in found if not one.raised.is_warning and not _is_cut(one, found)]
    if errors:
        return (_root(errors),)
    return tuple({one.row.name: one for one in reversed(found)}.values())[::-1][:_MOST_WARNINGS]


def _is_cut(one: Known, found: Sequence[Known]) -> bool:
    """Whether it is the beginning of a message that stands whole elsewhere, as in a list of failed tests."""
    begun = one.raised.message.rstrip(".…")
    return len(begun) > _SHORTEST_CUT and any(
        len(other.raised.message) > len(begun) + 1 and other.raised.message.startswith(begun)
        for other in found
    )


def end(one: Known, raised: Sequence[Raised]) -> Raised | None:
    """What ended the process after an error that it went on from: memory ran out, and no row knows why.

    What other libraries and launchers raise after an error mostly comes of it.
    """
    if one.raised.is_warning:
        return None
    after = (other for other in raised if other.line > one.raised.line and other.rank == one.raised.rank)
    last = next((other for other in reversed(tuple(after)) if not other.is_warning and other.frames), None)
    ran_out = last is not None and _RAN_OUT.search(last.message) is not None
    return last if last and ran_out and one.raised not in _chain(last) and not _known(last) else None


def told(one: Known, end: Raised | None = None) -> Placed:
    """The finding that the row makes of what the log tells; a warning where another error was the `end`."""
    raised, row = one.raised, one.row
    went_on = f"the program went on, and {end.kind} ended it on log line {end.line}" if end else ""
    finding = Finding(
        code=row.code,
        name=row.name,
        severity=Severity.WARNING if raised.is_warning or end else Severity.ERROR,
        sentence=_sentence(_words(row.sentence, one), (one.facts.op, *one.facts.names)),
        line=raised.line,
        torch=f"{raised.kind}: {raised.message}" if raised.kind else raised.message,
        cause=tuple(filter(None, (went_on, *_said(row.cause, one)))),
        fix=tuple(Fix(text) for text in _said(row.fix, one)),
        also=row.also,
    )
    return Placed(finding, facts_of.own(raised), raised.rank)


def _chain(raised: Raised | None) -> Iterator[Raised]:
    """What was raised, the root first."""
    if raised is not None:
        yield from _chain(raised.cause)
        yield raised


def _known(raised: Raised) -> Known | None:
    """The error with the first row that speaks of it; None for one that is none of ours."""
    if _is_of_others(raised.frames):
        return None
    return _spoken(raised) or (_spoken(_in_one(raised)) if "\n" in raised.message else None)


def _spoken(raised: Raised) -> Known | None:
    message = " ".join(raised.message.split()).lower()
    rows = [row for row in ROWS if _may_be(row, raised.kind, message)]
    facts = facts_of.read(raised) if rows else Facts()
    row = next((row for row in rows if row.when(raised, facts)), None)
    return None if row is None else Known(raised, facts, row)


def _is_of_others(frames: Sequence[Frame]) -> bool:
    """Whether another library raised it, or a line of the person's that says `raise`, whatever its words.

    A cell of a notebook may show torch's own code.
    """
    files = [frame.file for frame in frames]
    if any(map(_OTHERS.search, files)) and not any(map(_TORCH.search, files)):
        return True
    last = frames[-1] if frames else Frame("", 0)
    is_torch = _TORCH.search(last.file) or _CELL.match(last.file)
    return _RAISES.match(last.text) is not None and not is_torch


def _may_be(row: Row, kind: str, message: str) -> bool:
    is_kind = not row.kinds or not kind or kind in row.kinds
    return is_kind and any(fragment.lower() in message for fragment in row.fragments)


def _root(errors: Sequence[Known]) -> Known:
    """The last error, or what it repeats: other processes say it too, and C++ as it ends."""
    last = errors[-1]
    ranks = {last.raised.rank}
    for one in reversed(errors[:-1]):
        is_placed = bool(one.raised.frames) and not last.raised.frames
        is_echo = one.row.name == last.row.name and (
            one.raised.rank not in ranks or (is_placed and one.raised.message == last.raised.message)
        )
        if not is_echo and last.raised.kind:
            break
        last = one
        ranks.add(one.raised.rank)
    return last


def _said(texts: Sequence[Text], one: Known) -> tuple[str, ...]:
    return tuple(filter(None, (_words(text, one) for text in texts)))


def _sentence(words: str, names: Sequence[str]) -> str:
    """Words as a sentence; a name of code at the beginning is left as it is written."""
    first = words.split(" ", 1)[0]
    begun = words[:1].upper() + words[1:] if first.isalpha() and first not in names else words
    return begun if begun.endswith((".", "?")) else f"{begun}."


def _words(text: Text, one: Known) -> str:
    return text if isinstance(text, str) else text(one.raised, one.facts)
