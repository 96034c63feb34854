"""Lines of a log as the program printed them: no colours, no stamps, no prefixes of launchers and loggers."""

import re
from typing import NamedTuple

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|\x08")
_STAMP = r"\[?\(?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\)?"
_CLOCK = r"\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?"
_LEVEL = r"(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)"
_PREFIXES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_STAMP}(?: std(?:out|err) [FP])?(?:\s*[-|:](?=\s))? ?",
        rf"{_CLOCK}(?:\s*[-|](?=\s))? ",
        rf"(?:[-|] )?[\w.:<>-]+ +[-|] {_LEVEL} *[-|] ",
        rf"(?:[-|] )?\[?{_LEVEL}\]? *[-|] (?:[\w.:<>/-]+ *[-|] )*",
        rf"\[{_LEVEL}\] ?",
        rf"{_LEVEL}:[\w.]+:",
        rf"{_LEVEL} +(?=\S*(?:Error|Exception|Traceback))",
        r"[WEIF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w./-]+:\d+\] ",
        r"(?:E|\+?\s?\|) {1,7}(?=\s*[\w.]+(?:Error|Exception|Warning)\b)",
        r"[│┃]\s?",
    )
)
_RANKS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\[rank(\d+)\]: ?",
        r"\[(?:default|trainer|worker)(\d+)\]:",
        r"\[\d+,(\d+)\]<std(?:out|err)>:",
        r"(?:rank|node|worker|local_rank)[ -]?(\d+): ?",
        r"(\d{1,4}): (?=\S| {2,4}\S)",
        r"\((?:[\w:.]+ )?pid=(\d+)(?:, ip=[\d.]+)?\) ?",
        r"[\w.]+[-_](\d+) +\| ?",
    )
)
_BOX = re.compile(r"\s*[│┃]\s*$")
_LONGEST = 4_000
_NESTED = 4


class Clean(NamedTuple):
    """A line without what was put around it; `rank` is the process that a prefix names.

    `stamped` says that a logger or a launcher wrote something before it.
    """

    text: str
    rank: str | None
    number: int
    stamped: bool = False


def line(raw: str, number: int) -> Clean:
    """The line without colours, prefixes and blanks at its end."""
    text = _BOX.sub("", _ESCAPES.sub("", raw[:_LONGEST])).rstrip()
    rank, stamped = None, False
    for _ in range(_NESTED):
        before = text
        if rank is None and (match := _first(_RANKS, text)):
            rank, text = match[1], text[match.end() :]
        if match := _first(_PREFIXES, text):
            text, stamped = text[match.end() :], True
        if text == before:
            break
    return Clean(text, rank, number, stamped)


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> re.Match[str] | None:
    return next((match for pattern in patterns if (match := pattern.match(text))), None)


def lines(content: bytes, first: int) -> list[Clean]:
    """The lines of a stretch of a log that begins in line `first`.

    What a progress bar wrote over itself are lines of their own, with one number.
    """
    text = content.decode("utf-8", "replace")
    return [
        line(part, first + at)
        for at, raw in enumerate(text.split("\n"))
        for part in (raw.removesuffix("\r").split("\r"))
    ]
