"""The words of a command line told apart: options, bindings (`--x 2`) and SOURCE.

A word is SOURCE unless it is exactly a known option, the value of one, or of the form
`--name` or `--name=value`; so `-x**2` and `-d*2` are sources. After `--` every word is
SOURCE.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from keyword import iskeyword
from typing import Any
from unicodedata import normalize

from autograd_cli.cli.options import HELP, OPTIONS, VAR, Option
from autograd_cli.errors import InputError, Span

_LONG = re.compile(r"--([^\W\d][\w-]*)(?:=(.*))?", re.DOTALL)


@dataclass
class Line:
    """A command line, told apart. `bindings` are (name, text) in the order written.

    `words` is the whole line as typed. `given` holds the text of each option by its key,
    True for a flag, a list of texts for an option that may be repeated; of the others
    the last one counts.
    """

    command: str
    words: tuple[str, ...]
    sources: list[str] = field(default_factory=list)
    bindings: list[tuple[str, str]] = field(default_factory=list)
    given: dict[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str | None:
        """The one SOURCE, None where there is none."""
        return self.sources[0] if self.sources else None

    @property
    def typed(self) -> str:
        """The line as a shell would take it."""
        return shell(["agx", self.command, *self.words])

    def with_bindings(self, names: Sequence[str], value: str = "2") -> str:
        """The line as typed, with a binding for each of `names` at its end, but before `--`."""
        return shell(["agx", self.command, *self.words_with([(name, value) for name in names])])

    def words_with(self, pairs: Sequence[tuple[str, str]]) -> list[str]:
        """The words, with those that bind `pairs` at the end, but before `--`."""
        taken = {option.key for option in OPTIONS}
        more = [word for name, text in pairs for word in _words(name, text, name in taken)]
        end = self.words.index("--") if "--" in self.words else len(self.words)
        return [*self.words[:end], *more, *self.words[end:]]


def _words(name: str, text: str, taken: bool) -> list[str]:
    """The words that bind a name; with --var where it is also an option's."""
    return ["--var", f"{name}={text}"] if taken else [f"--{name}", text]


def shell(words: Sequence[str]) -> str:
    """`words` as a shell takes them; what needs quotes gets double ones where they do."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if re.fullmatch(r"[\w@%+=:,./-]+", word, re.ASCII):
        return word
    return shlex.quote(word) if re.search(r'["$`\\!]', word) else f'"{word}"'


def read(
    command: str,
    words: Sequence[str],
    options: Sequence[Option],
    takes_bindings: bool,
    takes_all: Callable[[str], bool] = lambda _: False,
) -> Line:
    """The line that `words` make for a command with these options.

    Where `takes_all` is true of the first word, those after it that are no options are its own.

    Raises InputError: AGX203 for a name bound twice, AGX205 for an unknown option,
    AGX208 for a flag with a value, AGX210 for a name that cannot be one, AGX214 for a
    value that is missing.
    """
    line = Line(command, tuple(words))
    reader = _Reader(line, _spellings(options), takes_bindings, takes_all)
    while reader.at < len(words):
        reader.step()
    return line


def asks_for_help(words: Sequence[str]) -> bool:
    """Whether --help stands among `words`; then whatever else is wrong does not count."""
    stop = words.index("--") if "--" in words else len(words)
    return any(word in HELP.spellings for word in words[:stop])


def _spellings(options: Sequence[Option]) -> dict[str, Option]:
    return {spelling: option for option in options for spelling in option.spellings}


class _Reader:
    """Goes through the words once, left to right: `began` is the word at hand, `at` the next."""

    def __init__(
        self,
        line: Line,
        known: Mapping[str, Option],
        takes_bindings: bool,
        takes_all: Callable[[str], bool],
    ) -> None:
        self.line = line
        self.known = known
        self.takes_bindings = takes_bindings
        self.takes_all = takes_all
        self.at = 0
        self.began = 0

    def step(self) -> None:
        """Take the next word, with its value where it has one."""
        self.began = self.at
        word = self.line.words[self.at]
        self.at += 1
        long = _LONG.fullmatch(word)
        if word == "--":
            self.line.sources += self.line.words[self.at :]
            self.at = len(self.line.words)
        elif word in self.known:
            self.option(self.known[word], word, None)
        elif long is None:
            self.line.sources.append(word)
        elif (option := self.known.get(f"--{long[1]}")) is not None:
            self.option(option, f"--{long[1]}", long[2])
        elif self.line.sources and self.takes_all(self.line.sources[0]):
            self.line.sources.append(word)
        else:
            self.binding(long[1], long[2])

    def option(self, option: Option, spelling: str, value: str | None) -> None:
        """A known option, its value behind `=` or in the next word."""
        if not option.metavar:
            if value is not None:
                raise self.refused("AGX208", f"`{spelling}` takes no value.", fix=spelling)
            self.line.given[option.key] = True
            return
        if value is None:
            value = self.value(spelling, option.metavar)
        if option is VAR:
            self.variable(value)
        elif option.repeated:
            self.line.given.setdefault(option.key, []).append(value)
        else:
            self.line.given[option.key] = value

    def variable(self, pair: str) -> None:
        """`--var NAME=VALUE`, for a name that is also an option."""
        name, equals, text = pair.partition("=")
        if not equals:
            raise self.refused("AGX214", f"`--var {pair}` gives no value.", fix=f"--var {pair}=2")
        self.bind(name.strip(), text)

    def binding(self, name: str, value: str | None) -> None:
        """`--name value`, for a name that is no option."""
        if not self.takes_bindings or not name.isidentifier():
            raise self.unknown(name)
        self.bind(name, self.value(f"--{name}", "VALUE") if value is None else value)

    def bind(self, name: str, text: str) -> None:
        """Bind a name, once, if it can be a name."""
        name = normalize("NFKC", name)
        if why := why_no_name(name):
            raise self.refused("AGX210", f"`{name}` cannot be the name of a binding: {why}.")
        if any(name == known for known, _ in self.line.bindings):
            raise self.refused("AGX203", f"`--{name}` is given twice.", hint="Keep one of the two.")
        self.line.bindings.append((name, text))

    def value(self, spelling: str, metavar: str) -> str:
        """The next word, unless it is an option or a binding itself."""
        word = self.line.words[self.at] if self.at < len(self.line.words) else None
        if word is None or word in self.known or _LONG.fullmatch(word):
            found = "the line ends" if word is None else f"`{word}` follows"
            hint = f"A value that begins with a minus sign goes behind `=`: {spelling}={word}" if word else ""
            example = f"{spelling} {'2' if metavar == 'VALUE' else metavar}"
            near = [] if spelling in self.known else get_close_matches(spelling, self.known, 1, 0.75)
            if near:
                hint, example = f"Did you mean `{near[0]}`?", ""
            raise self.refused("AGX214", f"`{spelling}` has no value: {found}.", hint=hint, fix=example)
        self.at += 1
        return word

    def unknown(self, name: str) -> InputError:
        """The refusal of a word that looks like an option and is none."""
        near = get_close_matches(f"--{name}", self.known, 1)
        command = f"agx {self.line.command}"
        hint = f"Did you mean `{near[0]}`?" if near else f"`{command} --help` lists the options."
        return self.refused("AGX205", f"`--{name}` is no option of `{command}`.", hint=hint)

    def refused(self, code: str, sentence: str, hint: str = "", fix: str = "") -> InputError:
        """The refusal, with carets under the word it is about, in the line as typed."""
        text, span = place(self.line, self.began)
        return InputError(code, sentence, text=text, span=span, hint=hint, fix=fix)


def place(line: Line, index: int) -> tuple[str, Span]:
    """The line as typed and where its word `index` stands in it."""
    before = shell(["agx", line.command, *line.words[:index]]) + " "
    return line.typed, Span(len(before), len(before) + len(_quoted(line.words[index])))


def why_no_name(name: str) -> str:
    """Why a binding cannot have this name; empty where it can."""
    if name.startswith("__"):
        return "two underscores in front are Python's own"
    if iskeyword(name):
        return "it is a word of Python"
    return "" if name.isidentifier() else "a name is letters, digits and underscores, no digit first"


def is_word_of(word: str, name: str) -> bool:
    """Whether a word of the line binds `name`: `--x` or `--x=2`."""
    return word == f"--{name}" or word.startswith(f"--{name}=")
