"""What a name stands for and what became of something, in few words."""

from collections.abc import Sequence

from autograd_cli.lang.source import in_words
from autograd_cli.lang.vocabulary import words as vocabulary
from autograd_cli.report.records import Change, Made, Report, Summary, Values
from autograd_cli.report.values import count, flat
from autograd_cli.views import numbers
from autograd_cli.views.pieces import Words, one_line, wide, words

PYTHON = "Python "
"""What stands before the type of what is no tensor."""

_LISTED = 32
"""A tensor whose elements take more cells is shown as its range."""

_PLAIN = frozenset(
    vocabulary("int float complex bool str list tuple dict NoneType ndarray device dtype Size range")
)
"""The types of Python values that are shown as they are printed; of others the type is told."""


def named(made: Made, room: int | None = None) -> Words:
    """A name and what it stands for: x = 2., loss = (10,3) -2.32 … 2.30, k = 3."""
    name = words((one_line(made.name), "name"), " = ")
    if made.shape is None:
        text = made.text if made.dtype in _PLAIN else f"{made.dtype}(…)"
        return name + words((_short(one_line(text)), "value"))
    floating = made.dtype.startswith(("float", "bfloat"))
    return name + words((tensor(made.value, made.shape, floating, (room or 80) - wide(name)), "value"))


def _short(text: str) -> str:
    return text if len(text) <= 2 * _LISTED else f"{text[: 2 * _LISTED - 1]}…"


def tensor(values: Values, shape: Sequence[int], pointed: bool, room: int = 80) -> str:
    """A tensor's number or its few elements as torch writes them, else its shape and range."""
    if values is None:
        return numbers.shape(shape) if shape else "no value"
    digits = numbers.DIGITS if not shape else 4
    if not isinstance(values, Summary) and count(values) <= numbers.MOST_LISTED:
        listed = _listed(values, digits, pointed)
        if len(listed) <= min(_LISTED, room) or not shape:
            return listed
    return f"{numbers.shape(shape)} {numbers.cell(values, numbers.TIGHT)}"


def _listed(values: Values, digits: int, pointed: bool) -> str:
    if isinstance(values, tuple | list):
        return f"[{', '.join(_listed(item, digits, pointed) for item in values)}]"
    text = numbers.number(values, digits)
    return f"{text}." if pointed and text.lstrip("-").isdigit() else text


def fact(made: Made, report: Report) -> str:
    """What there is to know of a value beside its numbers."""
    if made.shape is None:
        return f"{PYTHON}{one_line(made.dtype)}" if made.dtype in _PLAIN - {"NoneType"} else ""
    odd = [one_line(made.dtype)] if made.dtype != report.default_dtype else []
    odd += [one_line(made.device)] if made.device not in ("", report.device) else []
    if made.grad_fn:
        return ", ".join([one_line(made.grad_fn), *odd])
    if made.requires_grad:
        return ", ".join(["leaf", "requires grad", *odd])
    return ", ".join(odd or ["no grad"])


def became(change: Change, room: int | None) -> Words:
    """What something was and is: its elements where they are few and fit, else their range."""
    name = words((one_line(change.name), "name"))
    for texts in _before_and_after(change):
        before, after = texts
        set_now = change.kind == "set" and change.before is None
        said = name + words(" = " if set_now else f"  {before} → ", (after, "value"))
        if room is None or wide(said) <= room:
            break
    return said


def _before_and_after(change: Change) -> list[tuple[str, str]]:
    """How the two may be written, the roomiest first; in more digits where they would look the same."""
    pairs = []
    for digits, listed in ((4, 4), (4, 1), (numbers.TIGHT, 0)):
        before, after = value(change.before, digits, listed), value(change.after, digits, listed)
        if before == after and change.before != change.after and listed:
            more = numbers.DIGITS
            before, after = value(change.before, more, listed), value(change.after, more, listed)
        pairs.append((before, after))
    return pairs


def how(change: Change) -> Words:
    """In which way something changed, where that says more than what it was and is."""
    if change.kind == "in-place":
        return words(("in place", "op"))
    if change.kind == "backward" and change.added is not None:
        many = isinstance(change.added, tuple | list | Summary)
        held = change.before is not None and numbers.cell(change.before) not in ("0", "all 0")
        return () if many and not held else words(("adds ", "op"), (value(change.added), "gradient"))
    return ()


def sharing(change: Change) -> Words:
    """The other names of memory that was written; nothing where there is none."""
    if not change.shares:
        return ()
    names = in_words(map(one_line, change.shares))
    verb = "shares" if len(change.shares) == 1 else "share"
    return words((f"also {names}, which {verb} its memory", "warning"))


def value(values: Values, digits: int = 4, listed: int = 4) -> str:
    """What something was or became: a number, at most `listed` elements, a range, or None."""
    if values is None:
        return "None"
    if not isinstance(values, Summary | tuple | list):
        return numbers.number(values)
    if not isinstance(values, Summary) and count(values) == 1:
        return numbers.number(next(flat(values)), digits)
    if not isinstance(values, Summary) and count(values) <= listed:
        text = numbers.nested(values, digits)
        if len(text) <= _LISTED:
            return text
    return numbers.cell(values, numbers.TIGHT)
