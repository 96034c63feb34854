"""Lines of a log as the program printed them: no colours, no stamps, no prefixes of launchers and loggers."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|\x08")
_STAMP = r"\[?\(?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?\)?"
_CLOCK = r"\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?"
_LEVEL = r"(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)"
_PREFIX = re.compile(
    "|".join(
        (
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
)
_RANKS = (
    r"\[rank(\d+)\]: ?",
    r"\[(?:default|trainer|worker)(\d+)\]:",
    r"\[\d+,(?:mpirank:)?(\d+)[^\]]*\]<std(?:out|err)>:",
    r"(?:rank|node|worker|local_rank)[ -]?(\d+): ?",
    r"\s{0,3}(\d{1,4}): (?=\S|\t| {2,8}\S)",
    r"\((?:[\w:.]+ )?pid=(\d+)(?:, ip=[\d.]+)?\) ?",
    r"[\w.]+[-_](\d+) +\| ?",
)
_RANK = re.compile("|".join(_RANKS))
_INNER_RANK = re.compile("|".join(_RANKS[:3]))
"""Those that stand after another's: a number and a colon may be a part of the line."""
_PACKED = re.compile(r'[^{"]{0,80}\{ *"')
_KEY = (
    r"(?:log|message|msg|text|textPayload|line|event|data|"
    r"err(?:or)?|exception|exc(?:_\w+)?|\w*stack\w*|trace\w*)"
)
_TEXT = r'(?:[^"\\]|\\.)*'
_FIELD = re.compile(rf'"{_KEY}" *: *"({_TEXT})')
_PAIR = re.compile(rf'\b{_KEY}="({_TEXT}(?:Error|Exception|Warning|Traceback){_TEXT})')
_NOTEBOOK = re.compile(r'\s*"(.*)",?\s*$')
_ESCAPED_LINES = re.compile(r"\\n +File \\?[\"']|last\):\\n|\\nException raised from")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_PLAIN = {"n": "\n", "t": "\t", "r": "", "b": "", "f": ""}
_TRACEBACK = "Traceback (most recent call last)"
_LONGEST_PREFIX = 200
_MOST_FIELDS = 32
_ERROR = re.compile(r"(?<![\w.])(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Warning|Exception): ")
_NAMED = re.compile(r"(?<!\w)[A-Za-z_]\w*(?:Error|Exception)\s+$")
_MARK = re.compile(r"(?<!\S)E {1,9}$")
"""What pytest writes before an error."""
_ABOVE, _ENOUGH = 6, 3
"""Lines above an error that are looked at for what stands before them, and how many must have it."""
_BOX = ("│", "┃")
_LONGEST = 4_000
_NESTED = 4


class Clean(NamedTuple):
    """A line without what was put around it; `rank` is the process that a prefix names.

    `stamped` says that a logger or a launcher wrote something before it, `whole` is all of it.
    """

    text: str
    rank: str | None
    number: int
    stamped: bool = False
    whole: str = ""


def line(raw: str, number: int) -> Clean:
    """The line without colours, prefixes and blanks at its end."""
    text = _ESCAPES.sub("", raw[:_LONGEST]).rstrip()
    text = whole = text[:-1].rstrip() if text[-1:] in _BOX else text
    rank, stamped = None, False
    for _ in range(_NESTED):
        before = text
        if match := (_RANK if rank is None else _INNER_RANK).match(text):
            rank, text = match[match.lastindex or 0], text[match.end() :]
        if match := _PREFIX.match(text):
            text, stamped = text[match.end() :], True
        if text is before:
            break
    return Clean(text, rank, number, stamped, whole)


def lines(content: bytes, first: int) -> list[Clean]:
    """The lines of a stretch of a log that begins in line `first`.

    What a progress bar wrote over itself are lines of their own, with one number; so are those that a
    logger packed into one line of JSON, or into one with its breaks written out.
    """
    text = content.decode("utf-8", "replace")
    return [
        line(piece, first + at)
        for at, raw in enumerate(text.split("\n"))
        for part in (raw.removesuffix("\r").split("\r"))
        for _, piece in pieces(part)
    ]


def pieces(raw: str) -> list[tuple[int, str]]:
    """The lines that are packed into a line, each with where it begins there; mostly the line alone.

    What one logger packed another may have packed again: then they begin there or a little later.
    """
    found = _packed(raw)
    if found == [(0, raw)]:
        return found
    return [(start + begin, text) for start, piece in found for begin, text in _packed(piece)]


def _packed(raw: str) -> list[tuple[int, str]]:
    if "\\u001b[" in raw and (match := _NOTEBOOK.match(raw)):
        return _unpacked(match[1], match.start(1))
    if '="' in raw and (pairs := list(islice(_PAIR.finditer(raw), _MOST_FIELDS))):
        return [piece for pair in pairs for piece in _unpacked(pair[1], pair.start(1))]
    if "\\n" in raw:
        if _PACKED.match(raw) and (fields := _fields(raw)):
            return [piece for field in fields for piece in _unpacked(field[1], field.start(1))]
        if _ESCAPED_LINES.search(raw):
            return _unpacked(raw, 0)
    elif _PACKED.match(raw) and (fields := _fields(raw)):
        return [(field.start(1), _unescaped(field[1])) for field in fields]
    return [(0, raw)]


def _fields(raw: str) -> list[re.Match[str]]:
    return list(islice(_FIELD.finditer(raw), _MOST_FIELDS))


def _unpacked(text: str, start: int) -> list[tuple[int, str]]:
    """The lines of a text with its breaks written out; a backslash that is written as two is none of them."""
    found, begin = [], 0
    for match in _ESCAPE.finditer(text):
        if match[2] == "n":
            found.append((start + begin, _unescaped(text[begin : match.start()])))
            begin = match.end()
    rest = _unescaped(text[begin:])
    return [*found, (start + begin, rest)] if rest or not found else found


def _unescaped(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _PLAIN.get(match[2], match[2])

    return _ESCAPE.sub(plain, text) if "\\" in text else text


def unprefixed(found: Sequence[Clean], at: int) -> list[Clean]:
    """The lines without what stands before the traceback or the lines above line `at`, and before that too.

    So a prefix goes that is nowhere listed: its numbers may differ from line to line.
    """
    above = [one.whole for one in found[:at]]
    prefixes = filter(None, (_of_traceback(above), _repeated(above[-_ABOVE:], found[at].whole)))
    prefix = next((one for one in prefixes if one.match(found[at].whole)), None)
    if prefix is None:
        return list(found)
    return [_behind(one, match.end()) if (match := prefix.match(one.whole)) else one for one in found]


def _behind(one: Clean, end: int) -> Clean:
    """A line from `end` on, of which other prefixes go as well."""
    is_indented = one.whole[:end].isspace()
    return one._replace(text=line(one.whole[end:], one.number).text, stamped=one.stamped or not is_indented)


def _of_traceback(above: Sequence[str]) -> re.Pattern[str] | None:
    """What stands before the last line that begins a traceback, but the class that a notebook names there."""
    for text in reversed(above):
        before, begins, _ = text.partition(_TRACEBACK)
        before = _NAMED.sub("", before)
        if begins:
            return re.compile(_blurred(before)) if 0 < len(before) <= _LONGEST_PREFIX else None
    return None


def _repeated(above: Sequence[str], head: str) -> re.Pattern[str] | None:
    """What stands before the error in the head, where it stands before lines above that are none as well."""
    above = [text for text in above if text.strip()]
    match = _ERROR.search(head)
    before = _MARK.sub("", head[: match.start()]) if match else ""
    if not 0 < len(before) <= _LONGEST_PREFIX:
        return None
    prefix = re.compile(_blurred(before))
    same = sum(prefix.match(text) is not None and not _ERROR.search(text) for text in above)
    return prefix if same >= _ENOUGH and (before.strip() or same == len(above)) else None


def _blurred(prefix: str) -> str:
    """A pattern of the prefix with any numbers in it, and any blanks but those at its end."""
    body = prefix.rstrip()
    parts = re.split(r"(\d+|[ \t]+)", body)
    words = (r"\d+" if part.isdigit() else r"[ \t]*" if part.isspace() else re.escape(part) for part in parts)
    return "".join(words) + (prefix[len(body) :] and f"(?:{re.escape(prefix[len(body) :])}|$)")
