"""What the rows are made of: sentences with gaps for what a log tells, and tests of its context."""

import re
from collections.abc import Callable, Iterator

from autograd_cli.diagnose.logs.facts import own
from autograd_cli.diagnose.logs.records import Facts, Raised

Test = Callable[[Raised, Facts], bool]

_GAP = re.compile(r"\{(\w+)\}")
_LOSS = re.compile(r"(\([^()]+\)|[A-Za-z_][\w.\[\]]*)\.backward\(")
_GRAD = re.compile(r"([A-Za-z_][\w.\[\]]*)\.grad\b")


def say(*templates: str) -> Callable[[Raised, Facts], str]:
    """The first template whose gaps the log can fill; empty where it fills none."""

    def told(raised: Raised, facts: Facts) -> str:
        known = gaps(raised, facts)
        for template in templates:
            if all(known.get(gap) for gap in _GAP.findall(template)):
                return _GAP.sub(lambda gap: known[gap[1]], template)
        return ""

    return told


def gaps(raised: Raised, facts: Facts) -> dict[str, str]:
    """What the gaps of a template may be: `shape0`, `dtype1`, `device0`, `size0`, `op`, `text`, `loss`."""
    return dict(_known(raised, facts))


def _known(raised: Raised, facts: Facts) -> Iterator[tuple[str, str]]:
    for name in ("dtype", "device", "shape", "size", "version", "name"):
        for at, value in enumerate(getattr(facts, f"{name}s")):
            yield f"{name}{at}", str(list(value)) if isinstance(value, tuple) else str(value)
    yield "op", facts.op
    yield "index", "" if facts.index is None else str(facts.index)
    text = source(raised)
    yield "text", text
    for gap, pattern in (("loss", _LOSS), ("leaf", _GRAD)):
        if match := pattern.search(text):
            yield gap, match[1]


def source(raised: Raised) -> str:
    """The line of the person's own last frame."""
    frame = own(raised)
    return frame.text if frame else ""


def inside(*files: str) -> Test:
    """Whether a frame is in a file, or in a function of a name, that has one of `files` in it."""

    def test(raised: Raised, facts: Facts) -> bool:
        places = [frame.file.replace("\\", "/") + ":" + frame.function for frame in raised.frames]
        return any(part in place for part in files for place in places)

    return test


def written(pattern: str) -> Test:
    """Whether the line of the person's own last frame has the pattern."""
    compiled = re.compile(pattern)
    return lambda raised, facts: compiled.search(source(raised)) is not None


def near(pattern: str) -> Test:
    """Whether a line around, or of an own frame, has the pattern."""
    compiled = re.compile(pattern)

    def test(raised: Raised, facts: Facts) -> bool:
        lines = (*raised.before, *raised.after, *(frame.text for frame in raised.frames))
        return any(compiled.search(line) for line in lines)

    return test


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
