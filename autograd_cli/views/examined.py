"""The view of an examination: for each wrong value of a backward where it is and what it looks like."""

from collections.abc import Sequence
from math import isfinite, prod

from autograd_cli.lang.source import several
from autograd_cli.report.records import Concern, Examination, Slot, Verdict
from autograd_cli.report.values import index_text
from autograd_cli.views import numbers
from autograd_cli.views.pieces import Line, Piece, one_line, words
from autograd_cli.views.witnesses import VERDICTS

_LABEL = 9


def examination(found: Examination) -> list[Piece]:
    """A row an input; then, of what is wrong, the worst element, the place, the pattern; what else."""
    call, place = one_line(found.text), one_line(found.place)
    lines: list[Piece] = [
        Line(words((one_line(found.function), "name"), f" in {call}", (f"   {place}", "quiet")))
    ]
    lines += _rows(found.slots)
    for slot in found.slots:
        lines += _wrong(slot) if slot.verdict is Verdict.WRONG else []
    lines += _labelled("cause", [_said(each) for each in found.concerns if each.wrong])
    warned = found.second is Verdict.WRONG and not found.fails
    others = [each for each in found.concerns if not each.wrong]
    kept = [each for each in others if warned and each.name.endswith("-intermediate")]
    lines += _labelled("warning", [*map(_said, kept), *_measured(found)] if warned else [])
    also = [_said(each) for each in others if each not in kept]
    lines += _labelled("also", also if warned else [*also, *_second(found)])
    return lines + _labelled("next", [one_line(found.next)] if found.next else [])


def _rows(slots: Sequence[Slot]) -> list[Piece]:
    """A verdict for each input, and how many of its elements are wrong."""
    names = [f"d/d{one_line(slot.name)}" for slot in slots]
    size = max(map(len, names), default=0)
    verdicts = max((len(slot.verdict.value) for slot in slots), default=0)
    return [
        Line(
            words(
                (name.ljust(size), "name"),
                "  ",
                (slot.verdict.value.ljust(verdicts), VERDICTS[slot.verdict][1]),
                f"  {_count(slot)}",
            ),
            indent=1,
        )
        for name, slot in zip(names, slots, strict=True)
    ]


def _count(slot: Slot) -> str:
    total = prod(slot.shape)
    if slot.verdict is not Verdict.WRONG or not slot.wrong:
        count = several(total, "element")
    else:
        count = f"{slot.wrong:,} of {several(total, 'element')}"
    return f"{count}{_ONLY.get(slot.only, '')}" if slot.verdict is Verdict.WRONG else count


_ONLY = {
    "cotangent": " with a drawn grad_output; with one of ones it is right",
    "values": " at values drawn nearby; at the given ones the error does not show",
}


def _wrong(slot: Slot) -> list[Piece]:
    """Where the gradient of an input is returned, what the error looks like, the worst element."""
    lines = _labelled("where", [one_line(slot.place)] if slot.place else [])
    lines += _labelled("pattern", list(map(one_line, slot.patterns)))
    return lines + _labelled(
        "worst", [_worst(slot)] if slot.backward is not None else [one_line(slot.sentence)]
    )


def _worst(slot: Slot) -> str:
    index = index_text(slot.worst) if slot.worst else ""
    backward, numeric = numbers.in_step([slot.backward, slot.numeric])
    is_shown = slot.error_bar is not None and slot.numeric is not None and isfinite(slot.numeric)
    bar = "" if slot.error_bar is None or not is_shown else f" {numbers.error_bar(slot.error_bar)}"
    at = numbers.cell(slot.value, numbers.DIGITS)
    backward = f"None, which counts as {backward}" if slot.is_none else backward
    return f"{one_line(slot.name)}{index} = {at}   backward {backward}   numeric {numeric}{bar}"


def _said(concern: Concern) -> str:
    place = f"   {one_line(concern.place)}" if concern.place else ""
    return one_line(concern.sentence) + place


def _second(found: Examination) -> list[str]:
    """The second order, where there is none, or it is wrong and no tensor that was kept explains it."""
    explained = any(each.name.endswith("-intermediate") for each in found.concerns)
    if found.second is None and found.second_sentence:
        return [f"has no second order: {one_line(found.second_sentence)}"]
    if found.second is not Verdict.WRONG or explained:
        return []
    return [f"second order is wrong: {one_line(found.second_sentence)}"]


def _measured(found: Examination) -> list[str]:
    """What a wrong second order rests on."""
    return [f"the second derivative differs: {one_line(found.second_sentence)}"]


def _labelled(label: str, sentences: Sequence[str]) -> list[Piece]:
    """Sentences one below the other, the label before the first."""
    return [
        Line(
            words(((label if not number else "").ljust(_LABEL), "quiet"), sentence),
            indent=2,
            hang=_LABEL,
        )
        for number, sentence in enumerate(sentences)
    ]
