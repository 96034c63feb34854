"""From the lines around a head to what was raised: its message, its frames, what it came from."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile

from autograd_cli.diagnose.logs import clean
from autograd_cli.diagnose.logs.clean import Clean
from autograd_cli.diagnose.logs.records import Frame, Raised
from autograd_cli.diagnose.logs.stream import Window

AROUND = 30
"""Lines kept on each side."""

_MOST_LINES = 40
_MOST_CHAINED = 6
_LONGEST_START = 1_800
"""Characters of a line that are looked at before its head."""
_LONGEST_CALL = 300
_GAP = 6
"""Lines between an error and the traceback of what was raised while it was handled."""
_MOST_FRAMES = 200

_HEAD = re.compile(
    r"^(?:.{0,400}?(?:it/s|s/it)[^\]]{0,200}\] *)?"
    r"(?P<place>(?P<file>[^\s:][^:]*(?::\\[^:]+)?):(?P<line>\d+): )?(?:.{0,1900}?[\s\]:(|])??"
    r"(?P<kind>(?:[A-Za-z_]\w*\.)*[A-Za-z_]*(?:Error|Warning|Exception)|what\(\)):\s*(?P<message>.*)$"
)
_ASSERTION = re.compile(r"Assertion [`'].{1,300}failed")
_DEBUGGER = re.compile(r"Exception has occurred: (?:[\w]+\.)*(?P<kind>\w+)")
_REPR = re.compile(
    r"(?:.{0,400}?[:|\]=] )?(?P<kind>(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*Error)"
    r"\((?P<quote>[\"'])(?P<message>.+)(?P=quote),?\)[.\])}]*$"
)
"""An error as Python writes an object of its class."""
_FROM_CPP = re.compile(r"\s*Exception raised from ")
_TO_MESSAGE = re.compile(r"^.*(?:\([\"'](?=\S)|\w+(?: \(0x\w+\))?: )")
_ANNOUNCES = re.compile(r"(?i)error|exception|fail|fatal|critical|crash|abort|panic|traceback|warn|[\])|] ?$")
_PROSE = re.compile(r"(?i)(?<![a-z'])[a-z']+,? [a-z']+\b")
_MEANT = re.compile(
    r"(?i)\bexpected|\bcaught|\bhandled|ignor|recover|skipp|retry|xfail|xpass|^\s*(?:[-*#>+]|//|\d+\.) |\bfix"
)
_OF_ANOTHER_LINE = re.compile(
    r"Traceback \(|terminate called|\d+ (?:failed|passed)\b|\s*what\(\):|\s*File \"|During handling of|"
    r"The above exception|\"{3}|'{3}|Exception raised from|frame #\d|"
    r"[=_*-]{4,}|\s*\^+\s*$|\[rank|>>> |.*\d+%\||\[[WEIF]\S* |(?:[\w.]*\.)?\w+(?:Error|Exception|Warning):|"
    r"\d{4}-\d\d-\d\d|[╭╰]"
)
_GOES_ON = re.compile(r"[a-z0-9\[({'\"`<]")
_BROKEN_AT = 60
"""Characters of a line that a terminal may have broken."""
_NARROWEST = 72
"""Cells of the narrowest terminal that breaks lines."""
_WIDE_LINES = 12
_ENDED = re.compile(
    r"[.!?;]$|\(\d+x\d+ and \d+x\d+\)$|at non-singleton dimension \d+$|[Gg]ot:? \w+$|\bwith size \d+$|"
    r"index out of range in self$|for input of size \d+$|but got -?\d+\)$"
)
"""How a message ends that is whole."""
_BEGINS = re.compile(
    r"Traceback \(most recent call last\)|╭─|"
    r"^(?:Exception has occurred: |-{20,}$|_{8,} .* _{8,}$|={8,} FAILURES)"
)
_ENDS = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Interrupt|Exit)(?:: |:?$)")
_PARTED = re.compile(r"During handling of the above|The above exception was the direct cause")

_FILE = re.compile(r"\s*(?:> )?File \"(?P<file>[^\"]+)\", line (?P<line>\d+)(?:, in (?P<function>.+))?$")
_IPYTHON = re.compile(
    r"(?:File )?(?P<file>(?:[A-Za-z]:)?[^\s:]+\.py|<[\w ]+>):(?P<line>\d+)(?:, in (?P<function>[^(]+).*)?$|"
    r"(?:Cell|Input) (?P<cell>In ?\[\d+\])(?:, line (?P<at>\d+))?(?:, in (?P<inside>[^(]+).*)?$"
)
_OLD = re.compile(
    r"(?P<file>[^\s]+(?:\.py|>)) in (?P<function>[^(]+)\(?.*$|"
    r"(?:\S{1,20} \S{1,4} )?(?P<notebook>(?:[A-Za-z]:\\|~?/)[^:*?\"<>|]*\.ipynb)(?: Cell \d+)?"
    r"(?: in (?P<inside>[^(]+)\(?.*| line (?P<line>\d+))?$"
)
_LINK = re.compile(r"\[([^\]]*)\]\((?:https?|file|vscode-notebook-cell):[^)\s]*\)")
"""What a notebook's page makes of a file or of a number of a line."""
_ARROW = re.compile(r"(?:-+>|❱) *(?P<line>\d+)[ │]*(?P<text>.*)$")
_RICH = re.compile(r"(?P<file>\S+\.py):(?P<line>\d+) in (?P<function>\S+)$")
_PYTEST = re.compile(
    r"(?P<file>\S+\.py):(?P<line>\d+): *(?:in (?P<function>\S+)|[\w.]*(?:Error|Exception))?$"
)
_MARKED = re.compile(r"> +(?P<text>\S.*)$")
_USER_CODE = re.compile(r"\s*from user code:")
_WARNS = re.compile(r"(?:^|[\\/])warnings\.py$")
FORWARD_CALL = re.compile(r"Traceback of forward call that caused the error")
"""What anomaly detection writes before the frames of the call whose backward fails."""
_MOST_BLAMED = 100
_PROMPT = re.compile(r"(?:>>>|\.\.\.) +(\S.*)$")
_CARETS = re.compile(r"\s*[~^]+\s*$")


def raised(window: Window) -> Raised | None:
    """What the head of `window` says was raised, None where it is a word in passing."""
    lines, at = _lines(window)
    rank = lines[at].rank
    ours = [one for one in lines if one.rank == rank]
    head = sum(one.rank == rank for one in lines[:at])
    return _raised(clean.unprefixed(ours, head), head, _MOST_CHAINED)


def _lines(window: Window) -> tuple[list[Clean], int]:
    """The lines of a window and which of them the head is in."""
    start = max(window.content.rfind(end, 0, window.at) for end in (b"\n", b"\r")) + 1
    ends = [found for end in (b"\n", b"\r") if (found := window.content.find(end, window.at)) >= 0]
    stop = min(ends, default=len(window.content))
    first = window.line - window.content.count(b"\n", 0, start)
    before = clean.lines(window.content[:start].rstrip(b"\r\n"), first) if start else []
    pieces, at = _pieces(window, start, stop)
    after = clean.lines(window.content[stop:], window.line)[1:]
    return [*before, *(clean.line(piece, window.line) for piece in pieces), *after], len(before) + at


def _pieces(window: Window, start: int, stop: int) -> tuple[list[str], int]:
    """What is packed into the line of the head, and which of that has the head."""
    head = len(window.content[start : window.at].decode("utf-8", "replace"))
    found = clean.pieces(window.content[start:stop].decode("utf-8", "replace"))
    if len(found) == 1 and not found[0][0]:
        return [found[0][1][max(head - _LONGEST_START, 0) :]], 0
    texts = [text for _, text in found]
    at = max(sum(begin < head for begin, _ in found) - 1, 0)
    errors = (back for back in range(at, -1, -1) if _HEAD.match(texts[back]))
    return texts, next(errors, at)


def frames(lines: Iterable[str]) -> tuple[Frame, ...]:
    """The frames in clean lines, in the order in which they stand."""
    return _frames(tuple(lines), ())


def _raised(lines: Sequence[Clean], at: int, depth: int) -> Raised | None:
    """What line `at` says was raised, with at most `depth` that it came from."""
    head = lines[at]
    match = _HEAD.match(head.text)
    if match is None and _ASSERTION.search(head.text) is None:
        return _special(lines, at)
    before, rest = [one.text for one in lines[:at]], [one.text for one in lines[at + 1 :]]
    is_placed = match is not None and match["file"] is not None
    said = _of_same(lines, at)
    message, taken = _message(match, said, is_placed, _widest(lines[:at])) if match else (head.text, 0)
    kind = "" if match is None or match["kind"] == "what()" else _once(match["kind"].rpartition(".")[2])
    start = _start(before)
    placed = (*_stack(before), *_place(match, rest)) if match and is_placed else ()
    frames = placed or _typed(_frames(before[start:], rest[taken:]), before[max(start - 1, 0) : start])
    if match and not frames and _is_in_passing(head.text[: match.start("kind")]):
        return None
    is_warning = kind.endswith("Warning")
    return Raised(
        kind=kind,
        message=message,
        frames=frames,
        before=tuple(before[_first_before(before, start) :]),
        after=tuple(rest[taken : taken + AROUND]),
        rank=head.rank,
        is_warning=is_warning,
        cause=None if is_warning else _cause(lines, start, depth),
        line=head.number,
    )


def _first_before(before: Sequence[str], start: int) -> int:
    """From which line on the lines before are kept: from the forward call that anomaly detection blames."""
    late = max(len(before) - AROUND, 0)
    blamed = (at for at in range(max(start - _MOST_BLAMED, 0), start) if FORWARD_CALL.search(before[at]))
    return min(next(blamed, late), late)


def _is_in_passing(before: str) -> bool:
    """Whether words before an error without frames are prose, or say that it was meant to come."""
    return bool(_MEANT.search(before) or (_PROSE.search(before) and not _ANNOUNCES.search(before)))


def _special(lines: Sequence[Clean], at: int) -> Raised | None:
    """An error whose message stands in another line than its class, or has none."""
    head = lines[at]
    before = tuple(one.text for one in lines[max(at - AROUND, 0) : at])
    after = tuple(one.text for one in lines[at + 1 : at + 1 + AROUND])
    kind, said = "", ""
    frames: tuple[Frame, ...] = ()
    if match := _DEBUGGER.match(head.text):
        kind, said = match["kind"], after[0].strip() if after else ""
        frames = _frames([head.text], after)
    elif (match := _REPR.match(head.text)) and not _is_in_passing(head.text[: match.start("kind")]):
        kind, said = match["kind"].rpartition(".")[2], match["message"].replace("\\n", "\n")
        frames = _frames(list(takewhile(lambda text: text.startswith("  "), after)), ())
    elif _FROM_CPP.match(head.text) and not any(map(_HEAD.match, before[-_GAP:])):
        said = _unwrapped(before[-1]) if before else ""
    return Raised(kind, said, frames, before, after, head.rank, line=head.number) if said else None


def _unwrapped(text: str) -> str:
    """What C++ said, without the call of another language that is written around it."""
    return (_TO_MESSAGE.sub("", text[:_LONGEST_CALL]) + text[_LONGEST_CALL:]).strip()


def _cause(lines: Sequence[Clean], start: int, depth: int) -> Raised | None:
    """What was raised before the traceback that begins at `start`, where that says so above."""
    above = range(max(start - _GAP, 0), start)
    if not depth or not any(_PARTED.search(lines[at].text) for at in above):
        return None
    for at in range(start - 1, max(start - _MOST_LINES, 0) - 1, -1):
        if _HEAD.match(lines[at].text):
            return _raised(lines, at, depth - 1)
    return None


def _once(kind: str) -> str:
    """The class, where two processes wrote it at once into one line."""
    half = len(kind) // 2
    return kind[:half] if kind[:half] == kind[half:] else kind


def _widest(lines: Sequence[Clean]) -> int:
    """How far the lines right before an error go: no terminal broke it before that."""
    return max((len(one.text) for one in lines[-_WIDE_LINES:]), default=0)


def _message(head: re.Match[str], rest: Iterable[str], is_placed: bool, widest: int) -> tuple[str, int]:
    """The whole message, and how many of the lines after the head belong to it.

    Under what `is_placed` stands a line of source, further in. Lines before it go as far as `widest`.
    """
    first = head["message"].removeprefix(": ")
    lines = [first.strip()]
    width = head.end()
    for text in islice(rest, _MOST_LINES):
        if not text.strip() and len(lines) == 1 and first.rstrip().endswith(":"):
            continue  # double-spaced
        if not text.strip() or _OF_ANOTHER_LINE.match(text) or _marks_a_place(text):
            break
        if is_placed and text.startswith("  "):
            break
        if not _goes_on(lines[-1], width, text, widest):
            break
        lines.append(text.strip())
        width = len(text)
    return "\n".join(lines).strip(), len(lines) - 1


def _goes_on(line: str, width: int, text: str, widest: int) -> bool:
    """Whether `text` is the rest of what `line` says: further in, listed, or broken by a terminal.

    `width` is how far the line goes, with what stands before the words. A terminal breaks it where the next
    word has no room, and leaves no line that goes further than that.
    """
    if text[0].isspace() or line.endswith((",", ":")):
        return True
    end = width + 1 + len(text.partition(" ")[0])
    is_broken = width >= _BROKEN_AT and end > max(widest, _NARROWEST)
    return is_broken and not _ENDED.search(line) and bool(_GOES_ON.match(text))


def _of_same(lines: Sequence[Clean], at: int) -> Iterator[str]:
    """The lines after line `at` that may be of one piece with it: a logger may write before it alone."""
    stamped = lines[at].stamped
    return (one.text for one in takewhile(lambda one: one.stamped <= stamped, lines[at + 1 :]))


def _marks_a_place(text: str) -> bool:
    return any(pattern.match(text) for pattern in (_PYTEST, _IPYTHON, _RICH))


def _place(match: re.Match[str], rest: Sequence[str]) -> tuple[Frame, ...]:
    """The place that Python writes before a warning, with the line of source under it."""
    text = rest[0].strip() if rest and rest[0].startswith("  ") else ""
    return (Frame(match["file"], int(match["line"]), "", text),)


def _typed(frames: tuple[Frame, ...], above: Sequence[str]) -> tuple[Frame, ...]:
    """The frames, that of standard input with the line above the traceback, where that was typed."""
    match = _PROMPT.match(above[0]) if above else None
    return tuple(
        Frame(one.file, one.line, one.function, match[1])
        if match and one.file == "<stdin>" and not one.text
        else one
        for one in frames
    )


def _stack(before: Sequence[str]) -> tuple[Frame, ...]:
    """The frames that a person's own handler of warnings prints right before one, up to that handler."""
    lines = list(takewhile(lambda text: text.startswith("  "), reversed(before)))[::-1]
    return tuple(takewhile(lambda frame: not _WARNS.search(frame.file), _frames(lines, ())))


def _is_frame(text: str) -> bool:
    return any(form.match(text) for form in (_FILE, _ARROW, _OLD)) or _marks_a_place(text)


def _start(before: Sequence[str]) -> int:
    """Where the traceback begins that ends after these lines; their end where there is none.

    What a worker's own traceback was sent along with is a part of it; one that an error ended above is none.
    """
    is_over = has_frames = False
    for at in range(len(before) - 1, -1, -1):
        if _BEGINS.search(before[at]) and not before[at].startswith("Original"):
            return len(before) if is_over else at
        has_frames = has_frames or _is_frame(before[at])
        is_over = is_over or (not has_frames and _ENDS.match(before[at]) is not None)
        if _PARTED.search(before[at]):
            return at + 1
    return 0


def _frames(before: Sequence[str], after: Sequence[str]) -> tuple[Frame, ...]:
    """The frames of the traceback in these lines, outermost first.

    pytest has the last one below, a compiler those of the person's code, a debugger all of them.
    """
    reader = _Reader()
    is_reversed = bool(before) and _DEBUGGER.match(before[0]) is not None
    below = after if is_reversed and len(before) == 1 else filter(_PYTEST.match, after[:3])
    for text in (*before, *below, *_of_user_code(after)):
        reader.take(text)
    frames = tuple(reader.frames[-_MOST_FRAMES:])
    return frames[::-1] if is_reversed else frames


def _of_user_code(after: Sequence[str]) -> Sequence[str]:
    """The frames that a compiler writes after its error."""
    begin = next((at for at, text in enumerate(after[:AROUND]) if _USER_CODE.match(text)), None)
    return () if begin is None else list(takewhile(str.strip, after[begin + 1 : begin + 1 + AROUND]))


class _Reader:
    """Reads frames line by line, in every form in which Python, IPython, pytest and Rich write them."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.marked = ""
        self.wants_text = False
        self.has_arrow = False

    def take(self, text: str) -> None:
        """The next line."""
        text = _LINK.sub(r"\1", text) if "](" in text else text
        if match := _FILE.match(text):
            self.add(match["file"], int(match["line"]), match["function"] or "")
        elif match := _RICH.match(text):
            self.add(match["file"], int(match["line"]), match["function"], has_arrow=True)
        elif match := _IPYTHON.match(text):
            line = int(match["line"] or match["at"] or 0)
            function = match["function"] or match["inside"] or ""
            self.add(match["file"] or match["cell"], line, function, has_arrow=True)
        elif match := _PYTEST.match(text):
            self.add(match["file"], int(match["line"]), match["function"] or "", self.marked)
        elif match := _OLD.match(text):
            function = match["function"] or match["inside"] or ""
            self.add(match["file"] or match["notebook"], int(match["line"] or 0), function, has_arrow=True)
        elif match := _ARROW.match(text):
            self.pointed(int(match["line"]), match["text"])
        elif match := _MARKED.match(text):
            self.marked = match["text"]
        elif self.wants_text and not self.has_arrow and text.startswith("    ") and not _CARETS.match(text):
            self.pointed(self.frames[-1].line, text.strip())

    def add(self, file: str, line: int, function: str, text: str = "", has_arrow: bool = False) -> None:
        """A frame; its line of source may follow, among others where an arrow shows which it is."""
        self.frames.append(Frame(file, line, function.strip(), text))
        self.marked = ""
        self.wants_text = not text
        self.has_arrow = has_arrow

    def pointed(self, line: int, text: str) -> None:
        """The line of source of the last frame."""
        if self.frames and self.wants_text:
            last = self.frames[-1]
            self.frames[-1] = Frame(last.file, line, last.function, text)
            self.wants_text = False
