"""The few windows of a log that may hold an error, found without decoding the rest.

A log is gone through in stretches of about a mebibyte. Of each only what stands around a
word such as `RuntimeError:` is kept, and of words in the same place the first and the last
time, so that memory and time stay bounded whatever the log's size and the length of its lines.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

STRETCH = 1 << 20
"""Bytes that are searched at once."""

BEFORE = 24 << 10
AFTER = 12 << 10
"""Bytes kept before and after a head: a traceback of a hundred frames, a message of a hundred lines."""

_MOST = 128
"""Heads that differ by more than their numbers and are kept; the oldest gives way."""

_COLON = rb"(?:(?:\x1b|\\u001b)\[[\d;]*m)*:(?=\s|$|\x1b|\\)"
_HEADS = tuple(
    re.compile(pattern)
    for pattern in (
        rb"Error" + _COLON,
        rb"Warning" + _COLON,
        rb"Exception(?:" + _COLON + rb"| (?:raised from|has occurred:) )",
        rb"what\(\)" + _COLON,
        rb"Assertion [`'].{1,300}failed",
    )
)
"""Each begins with a word as it is: so re looks for that alone, twice as fast as for one of several."""
_BLURRED = re.compile(rb"[\d.]+")
_RANK = re.compile(rb"(?:rank|node|default|worker)[ -]?\d+|^\d+(?=: )|^\[\d+,\d+\]")
_LONGEST_HEAD = 160
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_NEAR = 32
_FAR = 48
_MOST_AT_ONCE = 4_096
_DENSEST = STRETCH >> 5
"""Heads of one word in a stretch that are looked at, but for those near its end: more is no log."""
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True)
class Window:
    """Bytes around a head: the head ends at `at`, `line` is the number of its line, from 1."""

    content: bytes
    at: int
    line: int


@dataclass
class Reading:
    """What is kept of a log: how many lines it has, and its windows in order once it was read."""

    lines: int = 0
    windows: tuple[Window, ...] = ()


def read(chunks: Iterable[bytes]) -> Reading:
    """The windows of a log that comes in `chunks` of any size."""
    kept = _Kept()
    held = b""
    done = 0
    lines = 0
    for chunk, is_last in _stretches(_in_utf8(chunks)):
        held += chunk
        until = len(held) if is_last else max(len(held) - AFTER, done)
        counted = done
        for at in _heads(held, done, until):
            lines += held.count(b"\n", counted, at)
            counted = at
            kept.keep(held, at, lines + 1)
        kept.settle(held)
        lines += held.count(b"\n", counted, until) if until > counted else -held.count(b"\n", until, counted)
        start = max(until - BEFORE, 0)
        held, done = held[start:], until - start
    return Reading(lines + (not held.endswith(b"\n") and bool(held)), kept.windows())


def _stretches(chunks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """The chunks joined to stretches, and of each whether it is the last."""
    pending: list[bytes] = []
    size = 0
    for chunk in chunks:
        for start in range(0, len(chunk), STRETCH):
            pending.append(chunk[start : start + STRETCH])
            size += len(pending[-1])
            if size >= STRETCH:
                yield b"".join(pending), False
                pending, size = [], 0
    yield b"".join(pending), True


def _in_utf8(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The chunks, in UTF-8 where they begin with the mark of UTF-16, as a Windows shell writes them."""
    some = iter(chunks)
    first = b""
    while len(first) < 2 and (chunk := next(some, b"")):
        first += chunk
    if name := _MARKS.get(first[:2]):
        decoder = codecs.getincrementaldecoder(name)("replace")
        for chunk in chain((first[2:],), some):
            yield decoder.decode(chunk).encode("utf-8", "replace")
    else:
        yield first
        yield from some


def _heads(held: bytes, start: int, until: int) -> list[int]:
    """Where heads end in the bytes from `start` on, those that begin before `until`, in order.

    Of those with one text, whatever the numbers in it, only the first and the last: a log may be
    nothing but errors.
    """
    first: dict[bytes, int] = {}
    last: dict[bytes, int] = {}
    found: set[int] = set()
    late = max(start, until - AFTER)
    for match in chain.from_iterable(
        chain(islice(head.finditer(held, start), _DENSEST), head.finditer(held, late)) for head in _HEADS
    ):
        at, ends = match.span()
        if at < until:
            key = _key(held, at, ends)
            last[key] = ends
            if key not in first:
                first[key] = ends
                if len(first) > _MOST_AT_ONCE:
                    found.update(first.values(), last.values())
                    first.clear()
                    last.clear()
    return sorted(found.union(first.values(), last.values()))


def _key(held: bytes, at: int, ends: int) -> bytes:
    """What tells heads apart, for less than looking at the whole line."""
    before = held[max(at - _NEAR, 0) : at].rpartition(b"\n")[2]
    text = (before + held[at : ends + _FAR]).translate(_DIGITS)
    if before[:1] == b"[" or before[1:2] == b":" or b"rank" in before:
        rank = _RANK.search(before)
        return text + rank[0] if rank else text
    return text


class _Kept:
    """The first and the last head of each kind, by their text without numbers but that of a rank."""

    def __init__(self) -> None:
        self.first: dict[bytes, Window] = {}
        self.last: dict[bytes, Window] = {}
        self.fresh: dict[bytes, tuple[int, int]] = {}

    def keep(self, held: bytes, at: int, line: int) -> None:
        """Note the head that ends at `at`; a first one is cut out at once."""
        begin = max(at - 40, held.rfind(b"\n", 0, at) + 1)
        head = held[begin : at + _LONGEST_HEAD].partition(b"\n")[0]
        rank = _RANK.search(head)
        key = (rank[0] if rank else b"") + _BLURRED.sub(b"0", head)
        if key not in self.first:
            self.first[key] = _window(held, at, line)
            if len(self.first) > _MOST:
                oldest = next(iter(self.first))
                del self.first[oldest]
                self.last.pop(oldest, None)
                self.fresh.pop(oldest, None)
        else:
            self.fresh[key] = (at, line)

    def settle(self, held: bytes) -> None:
        """Cut out the last head of each kind that this stretch had."""
        for key, (at, line) in self.fresh.items():
            self.last[key] = _window(held, at, line)
        self.fresh.clear()

    def windows(self) -> tuple[Window, ...]:
        """All that is kept, in the order of the log."""
        return tuple(sorted((*self.first.values(), *self.last.values()), key=lambda one: one.line))


def _window(held: bytes, at: int, line: int) -> Window:
    start = max(at - BEFORE, 0)
    return Window(held[start : at + AFTER], at - start, line)
