"""The pages of the catalogue, read from the package when they are asked for."""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from autograd_cli.report import Severity

HEADINGS = (
    "What torch says",
    "What it means",
    "Why",
    "How to see it",
    "How to fix it",
    "When it is fine",
)
"""The sections of a page, in order; the first is "What agx says" where torch has no part in it."""

_SUBJECT = re.compile(r"# ([a-z]+): (.+)")
_TITLE = re.compile(r"# (AGX\d{3}) ([a-z0-9-]+): (.+)")
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```([a-z]+(?: \S+)?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CONTINUED = re.compile(r" *\\\n *")
_CODE = re.compile(r"AGX\d{3}")


class Kind(StrEnum):
    """How an example is run, by the words after the fence that opens it."""

    CONSOLE = "console"
    """A command, `agx` or a pipe of `echo` and `agx`."""
    TRACE = "python"
    """A program of the language, for `agx trace FILE`."""
    SCRIPT = "python script"
    """A program in plain Python, for `agx diagnose FILE`."""
    WATCH = "python watch"
    """One that runs to its end and is wrong, for `agx diagnose --watch FILE`."""


@dataclass(frozen=True)
class Example:
    """A command or a program of a page. `files` are the names and texts of the files that lie beside it."""

    kind: Kind
    text: str
    files: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, eq=False)
class Page:
    """One page. `names` are the labels its findings may have, `name` the usual one.

    `sections` holds the text under each heading. `needs` says what it takes to raise the error where
    no program can do so everywhere: "a CUDA device"; it is empty elsewhere. `watch` says what watching a
    script tells more of it than its end does, where it does.
    """

    code: str
    name: str
    names: tuple[str, ...]
    title: str
    severity: Severity
    sections: dict[str, str]
    text: str
    needs: str = ""
    watch: str = ""
    files: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def broken(self) -> tuple[Example, ...]:
        """Those under "How to see it": each gives this finding."""
        return self._examples("How to see it")

    @property
    def repaired(self) -> tuple[Example, ...]:
        """Those under "How to fix it", with the repair in them: they give none."""
        return self._examples("How to fix it")

    @property
    def alike(self) -> tuple[Example, ...]:
        """Those under "When it is fine", which are near to the mistake and right."""
        return self._examples("When it is fine")

    def _examples(self, heading: str) -> tuple[Example, ...]:
        return examples(self.sections[heading], self.files)


@dataclass(frozen=True, eq=False)
class Subject:
    """A page on what reports speak of, whatever was found: the verdicts, the words.

    `words` are those that ask for it, in lower case. `commands` show what it speaks of.
    """

    name: str
    words: tuple[str, ...]
    title: str
    text: str

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that show what it speaks of."""
        return tuple(example.text for example in examples(self.text))


def page(code: str) -> Page:
    """The page of a code, in either case; KeyError where there is none."""
    wanted = code.upper()
    place = _folder() / f"{wanted}.md"
    if not _CODE.fullmatch(wanted) or not place.is_file():
        raise KeyError(code)
    return _read(wanted)


@cache
def pages() -> tuple[Page, ...]:
    """Every page, by code."""
    return tuple(_read(name) for name in _stored() if _CODE.fullmatch(name))


@cache
def subjects() -> tuple[Subject, ...]:
    """Every page that is about no finding, by name."""
    return tuple(_subject(_text(name)) for name in _stored() if not _CODE.fullmatch(name))


def _stored() -> list[str]:
    """The names of the Markdown files, in order."""
    names = (entry.name for entry in _folder().iterdir())
    return sorted(name.removesuffix(".md") for name in names if name.endswith(".md"))


def _folder() -> Traversable:
    return files(__package__)


@cache
def _read(code: str) -> Page:
    return parse(_text(code))


def _text(name: str) -> str:
    return (_folder() / f"{name}.md").read_text(encoding="utf-8")


def _subject(text: str) -> Subject:
    """A subject from its Markdown."""
    title = _SUBJECT.match(text)
    if title is None:
        raise ValueError(f"a page on a subject begins with `# name: title`, this one with {text[:40]!r}")
    name, words = title.groups()
    return Subject(name, (name, *_also(text)), words, text)


def _also(text: str) -> tuple[str, ...]:
    """The other words that a page goes by."""
    lines = (line.removeprefix("also: ") for line in text.splitlines() if line.startswith("also: "))
    return tuple(name for line in lines for name in line.rstrip(",").split(", "))


def parse(text: str) -> Page:
    """A page from its Markdown; ValueError where the title or the severity is missing."""
    title = _TITLE.match(text)
    if title is None:
        raise ValueError(f"a page begins with `# AGX000 name: title`, this one with {text[:40]!r}")
    code, name, words = title.groups()
    head, *parts = _SECTION.split(text)
    facts = dict(line.split(": ", 1) for line in head.splitlines()[1:] if ": " in line)
    if "severity" not in facts:
        raise ValueError(f"the page of {code} does not say its severity")
    return Page(
        code=code,
        name=name,
        names=(name, *_also(head)),
        title=words,
        severity=Severity(facts["severity"]),
        sections={heading: body.strip() for heading, body in zip(parts[::2], parts[1::2], strict=True)},
        text=text,
        needs=facts.get("needs", ""),
        watch=facts.get("watch", ""),
        files=tuple((info.split()[-1], body) for info, body in _BLOCK.findall(text) if "." in info),
    )


def examples(section: str, files: tuple[tuple[str, str], ...] = ()) -> tuple[Example, ...]:
    """The commands and programs in a text, in order; a line of a `console` block is one each."""
    kinds = {kind.value for kind in Kind}
    return tuple(
        Example(Kind(info), text, files)
        for info, body in _BLOCK.findall(section)
        if info in kinds
        for text in (_lines(body) if info == Kind.CONSOLE else (body,))
    )


def _lines(block: str) -> list[str]:
    """The commands of a block, those on several lines in one."""
    return [line for line in _CONTINUED.sub(" ", block).splitlines() if line.strip()]
