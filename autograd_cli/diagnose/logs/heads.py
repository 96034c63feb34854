"""The words in a log that may be the head of an error, with what tells one from another.

A log may be nothing but errors. So the pattern that looks for heads passes over what was often
seen, and no more than what is new costs anything.
"""

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

Sign = tuple[bytes, bytes]
"""What stands before the word of a head and after it, with signs of their own for what may differ."""

_COLON = rb"(?:(?:\x1b|\\u001b)\[[\d;]*m)*:(?=\s|$|\x1b|\\)"
_WORDS = (
    (b"Error", rb"(?:" + _COLON + rb"|\((?=[\"']))"),
    (b"Warning", _COLON),
    (b"Exception", rb"(?:" + _COLON + rb"| (?:raised from|has occurred:) )"),
    (b"what()", _COLON),
    (b"Assertion", rb" [`'].{1,300}failed"),
)
"""Each begins with bytes as they are: so re looks for these alone, twice as fast as for one of several."""
_ANY_DIGIT, _NO_LETTER = b"\0", b"\1"
_NUMBER = re.compile(rb"[\d.]+")
_DIGITS = bytes.maketrans(b"0123456789", _ANY_DIGIT * 10)
_RANK = re.compile(rb"(?:rank|node|default|worker)[ -]?\d+|^\d+(?=: )|^\[\d+,\d+\]")
_RAISES = re.compile(rb"\b(?:raise|except|return|raises)\b")
_CLASS = re.compile(rb"[A-Za-z_]*$")
_NEAR = 32
_FAR = 64
_WIDTHS = 16
"""Bytes more, for numbers that are longer in one line than in another."""
_BEGUN = 8
_OFTEN = (32, 64, 64)
"""How often a head is passed on, how many of one class that begin alike, and how many of one class."""
_MOST_OVER = 64
_MOST_SEEN = 1 << 14
_MOST_AT_ONCE = 2_048
"""Heads of one word in a stretch that are looked at, but for the last: more that are new is no log."""
_MOST_LAST = 256
_BACK = (1 << 11, 1 << 15, 1 << 21)


class Head(NamedTuple):
    """A head that ends at `at`; those of one `sign` differ by their numbers, but for that of a rank."""

    at: int
    sign: Sign


def like(sign: Sign) -> Sign:
    """What heads of one class that begin alike have in common."""
    named = _CLASS.search(sign[0])
    return _NO_LETTER + (named[0] if named else b""), sign[1][:_BEGUN]


def _is_source(content: bytes, head: Head) -> bool:
    """Whether an error is made there, by a line of source, and none was printed."""
    return content[head.at - 1 : head.at] == b"(" and _RAISES.search(head.sign[0]) is not None


class Heads:
    """Finds heads, stretch by stretch of one log."""

    def __init__(self) -> None:
        self._words = [_Word(word, rest) for word, rest in _WORDS]

    def find(self, content: bytes, start: int, until: int) -> list[Head]:
        """Heads that begin in `content` from `start` on and before `until`, in order.

        They are the first of each sign in the log, and of each word the last in this stretch.
        """
        return sorted({head for word in self._words for head in word.find(content, start, until)})


class _Word:
    """A word of heads, with what was seen of it in a log."""

    def __init__(self, word: bytes, rest: bytes) -> None:
        self.word = word
        self.rest = rest
        self.every = self.fresh = re.compile(re.escape(word) + rest)
        self.seen: dict[Sign, int] = {}
        self.over: list[Sign] = []

    def find(self, content: bytes, start: int, until: int) -> Iterator[Head]:
        """The heads of this word that are new, and the last ones where some were passed over."""
        if not all(letter in content for letter in self.word):
            return  # a byte alone is found ten times as fast as a word
        news = self._news(content, start, until)
        yield from islice(news, _MOST_AT_ONCE)
        if self.over or next(news, None) is not None:
            yield from self._last(content, start, until)

    def _news(self, content: bytes, start: int, until: int) -> Iterator[Head]:
        at = start
        while (match := self.fresh.search(content, at)) and match.start() < until:
            at = match.end()
            head = Head(at, self._sign(content, match.start()))
            self._note(*head.sign)
            if not _is_source(content, head):
                yield head

    def _last(self, content: bytes, start: int, until: int) -> Iterator[Head]:
        """The last heads, which are looked for from the end on, in longer and longer parts."""
        for back in _BACK:
            matches = self.every.finditer(content, max(start, until - back))
            last = deque((match for match in matches if match.start() < until), _MOST_LAST)
            if last or until - back <= start:
                break
        heads = (Head(match.end(), self._sign(content, match.start())) for match in last)
        return (head for head in heads if not _is_source(content, head))

    def _sign(self, content: bytes, at: int) -> Sign:
        end = at + len(self.word)
        near = content[at - _NEAR : at] if at >= _NEAR else b"\n" + content[:at]
        _, begun, before = near.rpartition(b"\n")
        line, ended, _ = content[end : end + _FAR + _WIDTHS].partition(b"\n")
        after = _NUMBER.sub(_ANY_DIGIT, line + ended)[:_FAR]
        rank = _RANK.search(before)
        first, last = rank.span() if rank else (0, 0)
        told = before[:first].translate(_DIGITS) + before[first:last] + before[last:].translate(_DIGITS)
        return begun + told, after

    def _note(self, before: bytes, after: bytes) -> None:
        """Count a head, one that is new among those of its class; what is often seen is passed over."""
        begun = like((before, after))
        for sign, often in zip(((before, after), begun, (begun[0], b"")), _OFTEN, strict=True):
            count = self.seen[sign] = self.seen.get(sign, 0) + 1
            if count == often:
                self._pass_over(sign)
            if count > 1:
                break
        if len(self.seen) > _MOST_SEEN:
            self.seen.clear()

    def _pass_over(self, sign: Sign) -> None:
        """Look for heads of this sign no more, where there is room for it in place of what it covers."""
        others = [one for one in self.over if not (like(one)[0] == sign[0] and one[1].startswith(sign[1]))]
        if len(others) == _MOST_OVER:
            return
        self.over = [*others, sign]
        afters: dict[bytes, list[bytes]] = {}
        for before, after in self.over:
            afters.setdefault(_pattern(before + self.word, rb"\d"), []).append(_pattern(after, rb"[\d.]+"))
        known = b"|".join(rb"(?<=%b)(?:%b)" % (before, b"|".join(found)) for before, found in afters.items())
        self.fresh = re.compile(rb"%b(?!%b)%b" % (re.escape(self.word), known, self.rest))


def _pattern(text: bytes, number: bytes) -> bytes:
    """What matches a part of a sign, with `number` for what stands for numbers there."""
    return re.escape(text).replace(_ANY_DIGIT, number).replace(_NO_LETTER, rb"\W")
