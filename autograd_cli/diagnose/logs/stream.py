"""The few windows of a log that may hold an error, found without decoding the rest.

A log is gone through in stretches of about a mebibyte. Of each only what stands around a
word such as `RuntimeError:` is kept, and of words in the same place the first and the last
time, so that memory and time stay bounded whatever the log's size and the length of its lines.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

STRETCH = 1 << 20
"""Bytes that are searched at once."""

BEFORE = 24 << 10
AFTER = 12 << 10
"""Bytes kept before and after a head: a traceback of a hundred frames, a message of a hundred lines."""

_MOST = 128
"""Heads that differ by more than their numbers and are kept; the oldest gives way."""

_TRIGGERS = (b"Error", b"Warning", b"Exception", b"what():", b"Assertion")
_COLOUR = rb"(?:\x1b\[[\d;]*m)*"
_HEAD = re.compile(
    rb"(?:Error|Warning|Exception|what\(\))" + _COLOUR + rb":(?=\s|$|\x1b)|Assertion [`'].{1,300}failed|"
    rb"Exception (?:raised from|has occurred:) "
)
_BLURRED = re.compile(rb"[\d.]+")
_RANK = re.compile(rb"(?:rank|node|default|worker)[ -]?\d+|^\d+(?=: )|^\[\d+,\d+\]")
_LONGEST_HEAD = 160


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
    for chunk, is_last in _stretches(chunks):
        held += chunk
        until = len(held) if is_last else max(len(held) - AFTER, done)
        counted = done
        for at in kept.heads(held, done, until):
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


class _Kept:
    """The first and the last head of each kind, by their text without numbers but that of a rank."""

    def __init__(self) -> None:
        self.first: dict[bytes, Window] = {}
        self.last: dict[bytes, Window] = {}
        self.fresh: dict[bytes, tuple[int, int]] = {}

    def heads(self, held: bytes, start: int, until: int) -> list[int]:
        """Where heads end in the bytes from `start` on, those that begin before `until`."""
        found = set()
        for trigger in _TRIGGERS:
            at = held.find(trigger, start, until)
            while at >= 0:
                if match := _HEAD.match(held, at):
                    found.add(match.end())
                at = held.find(trigger, at + len(trigger), until)
        return sorted(found)

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
