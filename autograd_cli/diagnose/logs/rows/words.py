"""What the rows are made of: sentences with gaps for what a log tells, and tests of its context."""

import re
from collections.abc import Callable, Iterator
from itertools import takewhile

from autograd_cli.diagnose.logs.facts import own
from autograd_cli.diagnose.logs.records import CutBy, Facts, Raised
from autograd_cli.diagnose.logs.rows import called, given
from autograd_cli.diagnose.logs.rows.called import source
from autograd_cli.diagnose.logs.tracebacks import FORWARD_CALL, frames

WHOLE = {"int64", "int32", "int16", "int8", "uint8", "bool"}
"""The dtypes of whole numbers."""

Test = Callable[[Raised, Facts], bool]

_ONE = re.compile(r"\b1 (gradient|value|target|input|channel|row|token|position|element)s\b")
_GAP = re.compile(r"\{(\w+)\}")
_LOSS = re.compile(
    r"(?<![\w.)\]])(?P<of>(?:[A-Za-z_][\w.\[\]\"']*)?\([^()]*\)|[A-Za-z_][\w.\[\]\"']*)"
    r"\.(?:manual_)?backward\((?:(?P<to>[\w.]+)[,)])?"
)
_RUNS_BACKWARD = re.compile(
    r"(?:self\.)?(?:\w*accelerator|\w*fabric|\w*engine|\w*strategy|\w*trainer|\w*scaler|torch\.autograd|autograd|self)$"
)
_EXPECTED_FIRST = re.compile(r"expected shape .* but got")
_FOUND_LAST = re.compile(r"but (?:got|found)\b")
_LONGEST_TEXT = 72
_OWN_NODE = re.compile(r"Function \w+Backward\d+ returned .* expected device")
"""Functions of a person's own have no number behind their names."""
_GRAD = re.compile(r"([A-Za-z_][\w.\[\]]*)\.grad\b")


def say(*templates: str) -> Callable[[Raised, Facts], str]:
    """The first template whose gaps the log can fill; empty where it fills none."""

    def told(raised: Raised, facts: Facts) -> str:
        known = gaps(raised, facts)
        for template in templates:
            if all(known.get(gap) for gap in _GAP.findall(template)):
                return _ONE.sub(r"1 \1", _GAP.sub(lambda gap: known[gap[1]], template))
        return ""

    return told


def gaps(raised: Raised, facts: Facts) -> dict[str, str]:
    """What the gaps of a template may be: `shape0`, `dtype1`, `device0`, `size0`, `op`, `text`, `loss`, ...

    `given` and `wanted` are the shape of a gradient and of what it belongs to; `whole` a dtype of whole
    numbers, `found` the dtype that was got in place of others. What the line calls things is of `called`.
    """
    return dict(_known(raised, facts))


def _known(raised: Raised, facts: Facts) -> Iterator[tuple[str, str]]:
    for name in ("dtype", "device", "shape", "size", "version", "name"):
        for at, value in enumerate(getattr(facts, f"{name}s")):
            yield f"{name}{at}", str(list(value)) if isinstance(value, tuple) else str(value)
    yield "op", facts.op
    yield "index", "" if facts.index is None else str(facts.index)
    text = source(raised)
    yield "text", _cut(text)
    yield "loss", _loss(text)
    if match := _GRAD.search(text):
        yield "leaf", match[1]
    yield from _told_apart(raised, facts)
    yield "made", _made(raised)
    yield "carried", " and ".join(raised.carried)
    yield from called.gaps(raised)
    yield from given.gaps(raised, facts)


def _cut(text: str) -> str:
    """A line of source as a sentence can hold it."""
    return f"{text[:_LONGEST_TEXT]}…" if len(text) > _LONGEST_TEXT else text.rstrip(":")


def _loss(text: str) -> str:
    """What backward starts at in a line of source, also where another object is told to run it."""
    match = _LOSS.search(text)
    if match is None:
        return ""
    return match["to"] or "" if _RUNS_BACKWARD.match(match["of"]) else match["of"]


def _made(raised: Raised) -> str:
    """The person's line whose node failed, where anomaly detection wrote the traceback of its call before."""
    begin = next((at for at, line in enumerate(raised.before) if FORWARD_CALL.search(line)), None)
    if begin is None:
        return ""
    call = takewhile(lambda line: line[:1].isspace(), raised.before[begin + 1 :])
    frame = own(Raised("", "", frames(call)))
    return frame.text if frame else ""


def _told_apart(raised: Raised, facts: Facts) -> Iterator[tuple[str, str]]:
    """Of two shapes or several dtypes, which is what, by how the message words it."""
    if len(facts.shapes) == 2:
        shapes = facts.shapes[::-1] if _EXPECTED_FIRST.search(raised.message) else facts.shapes
        yield from (("given", str(list(shapes[0]))), ("wanted", str(list(shapes[1]))))
    yield "whole", next((dtype for dtype in facts.dtypes if dtype in WHOLE), "")
    yield "found", facts.dtypes[-1] if len(facts.dtypes) > 1 and _FOUND_LAST.search(raised.message) else ""


def inside(*files: str) -> Test:
    """Whether a frame is in a file, or in a function of a name, that has one of `files` in it."""

    def test(raised: Raised, facts: Facts) -> bool:
        places = [frame.file.replace("\\", "/") + ":" + frame.function for frame in raised.frames]
        return any(part in place for part in files for place in places)

    return test


def raised_by(*files: str) -> Test:
    """Whether the innermost frame is in a file that has one of `files` in it."""

    def test(raised: Raised, facts: Facts) -> bool:
        last = raised.frames[-1].file.replace("\\", "/") if raised.frames else ""
        return any(part in last for part in files)

    return test


def written(pattern: str) -> Test:
    """Whether the line of the person's own last frame has the pattern."""
    compiled = re.compile(pattern)
    return lambda raised, facts: compiled.search(source(raised)) is not None


def near(pattern: str) -> Test:
    """Whether a line around, or of an own frame, has the pattern."""
    compiled = re.compile(pattern)
    return lambda raised, facts: _line_with(compiled, raised) is not None


def seen(pattern: str, template: str) -> Callable[[Raised, Facts], str]:
    """The template with the line that `near` finds by the pattern for `{line}`: what a cause rests on.

    Empty where the cut is known, which is told in its place.
    """
    compiled = re.compile(pattern)

    def told(raised: Raised, facts: Facts) -> str:
        line = None if raised.cut else _line_with(compiled, raised)
        return "" if line is None else template.replace("{line}", _cut(line.strip(" |>-").strip()))

    return told


def cut_by(kind: CutBy, otherwise: Test) -> Test:
    """Whether a statement is known to cut the way so; `otherwise` decides where nothing is known of that."""
    return lambda raised, facts: raised.cut is kind if raised.cut else otherwise(raised, facts)


def _line_with(pattern: re.Pattern[str], raised: Raised) -> str | None:
    """The innermost own line with the pattern, else one of the lines around."""
    frames = (frame.text for frame in reversed(raised.frames))
    lines = (*frames, *raised.before, *raised.after)
    return next((line for line in lines if pattern.search(line)), None)


def says(pattern: str) -> Test:
    """Whether the message has the pattern."""
    compiled = re.compile(pattern, re.IGNORECASE | re.DOTALL)
    return lambda raised, facts: compiled.search(raised.message) is not None


def either(*tests: Test) -> Test:
    """Whether one of the tests holds."""
    return lambda raised, facts: any(test(raised, facts) for test in tests)


def both(*tests: Test) -> Test:
    """Whether all of the tests hold."""
    return lambda raised, facts: all(test(raised, facts) for test in tests)


def dtypes(*wanted: str) -> Test:
    """Whether one of the dtypes that the message names is one of `wanted`."""
    return lambda raised, facts: any(dtype in wanted for dtype in facts.dtypes)


def two_devices(raised: Raised, facts: Facts) -> bool:
    """Whether the message names two devices."""
    return len(set(facts.devices)) > 1


def of_two_devices(raised: Raised, facts: Facts) -> bool:
    """Whether a node of torch's own gives a gradient on another device: its operands were on two."""
    return _OWN_NODE.search(raised.message) is not None and two_devices(raised, facts)
