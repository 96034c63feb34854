"""The few windows of a log that may hold an error, found without decoding the rest.

A log is gone through in stretches of about a mebibyte. Of each only what stands around a
word such as `RuntimeError:` is kept, and of words in the same place the first and the last
time, so that memory and time stay bounded whatever the log's size and the length of its lines.
"""

import codecs
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from autograd_cli.diagnose.logs.heads import Head, Heads, Sign, like

STRETCH = 1 << 20
"""Bytes that are searched at once."""

BEFORE = 24 << 10
AFTER = 12 << 10
"""Bytes kept before and after a head: a traceback of a hundred frames, a message of a hundred lines."""

_AROUND = BEFORE + AFTER
_MOST = 128
"""Heads that differ by more than their numbers and are kept; of those most alike the oldest gives way."""

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
    heads = Heads()
    kept = _Kept()
    lines, last = 0, b""
    for content, start, until in _parts(_stretches(_in_utf8(chunks))):
        kept.keep(content, heads.find(content, start, until), start, lines + 1)
        lines += content.count(b"\n", start, until)
        last = content[-1:]
    return Reading(lines + (last not in (b"", b"\n")), kept.windows())


def _parts(stretches: Iterable[tuple[bytes, bool]]) -> Iterator[tuple[bytes, int, int]]:
    """Bytes with the part of them, from where and until where, that has what is kept around a head.

    Where two stretches meet what stands around is a part of its own, so that none is copied whole.
    """
    held, done = b"", 0
    for stretch, is_last in stretches:
        if len(stretch) < 2 * _AROUND:
            yield held + stretch, done, len(held) + len(stretch)
        else:
            yield held + stretch[:_AROUND], done, len(held) + BEFORE
            yield stretch, BEFORE, len(stretch) if is_last else len(stretch) - AFTER
            held, done = stretch[-_AROUND:], BEFORE


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


class _Kept:
    """The first and the last window of each sign; of the signs most alike the oldest gives way."""

    def __init__(self) -> None:
        self.kept: dict[Sign, list[tuple[int, Window]]] = {}
        self.heads = 0

    def keep(self, content: bytes, heads: Iterable[Head], start: int, line: int) -> None:
        """Cut out the first and the last head of each sign; `line` is the one in which `start` is."""
        found: dict[Sign, list[tuple[int, int, int]]] = {}
        for at, sign in heads:
            self.heads += 1
            line += content.count(b"\n", start, at)
            start = at
            found.setdefault(sign, []).append((self.heads, at, line))
        self._make_room(found)
        for sign, places in found.items():
            if sign in self.kept:
                begun = self.kept[sign][:1]
                ends = places[-1:] if begun or len(places) == 1 else [places[0], places[-1]]
                self.kept[sign] = begun + [(nth, _window(content, at, line)) for nth, at, line in ends]

    def _make_room(self, signs: Iterable[Sign]) -> None:
        """Keep the signs too, but no more than are kept of a log."""
        for sign in signs:
            self.kept.setdefault(sign, [])
        if len(self.kept) > _MOST:
            newer: Counter[Sign] = Counter()
            ages: dict[Sign, int] = {}
            for sign in reversed(self.kept):
                ages[sign] = newer[like(sign)]
                newer[like(sign)] += 1
            for sign in sorted(ages, key=lambda sign: ages[sign])[_MOST:]:
                del self.kept[sign]

    def windows(self) -> tuple[Window, ...]:
        """All that is kept, in the order of the log."""
        found = sorted(chain.from_iterable(self.kept.values()), key=lambda one: one[0])
        return tuple(window for _, window in found)


def _window(content: bytes, at: int, line: int) -> Window:
    start = max(at - BEFORE, 0)
    return Window(content[start : at + AFTER], at - start, line)
