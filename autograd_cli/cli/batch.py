"""`--lines`: one source after another, each with a report of its own in its place.

A line is a source, or a JSON object with `source` and `bindings`. What a line gets wrong is
the finding of its report, and the next one is run.
"""

import errno
import json
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from unicodedata import normalize

from autograd_cli.cli import names, output, refused, running, sources
from autograd_cli.cli.bindings import Line, is_word_of, why_no_name
from autograd_cli.cli.command import Given
from autograd_cli.cli.serve import Ended, Server
from autograd_cli.cli.supervise import Wire
from autograd_cli.cli.telling import fault, out_of_memory, unexpected
from autograd_cli.errors import AgxError, ExitStatus, InputError, LimitError, is_out_of_memory, missing_file
from autograd_cli.lang.check import Understood
from autograd_cli.lang.nodes import Name, walk
from autograd_cli.lang.parse import TextLimits
from autograd_cli.lang.source import Source
from autograd_cli.report import Report
from autograd_cli.run.settings import Settings

_KEYS = ("source", "bindings")


class Item(NamedTuple):
    """One line of a batch: its number in the file, from 1, and its text."""

    number: int
    text: str


def explored(given: Given, where: output.Destination) -> ExitStatus:
    """Explore each line and write its report; the highest of their statuses.

    Raises InputError AGX106 where there is no line.
    """
    _refuse_what_one_source_has(given, where)
    stdin = sources.standard_input(given)
    batch = _Batch(given, where, stdin)
    server = Server(given.environment, running.bounds_of(given), batch.serve)
    statuses: list[ExitStatus] = []
    try:
        with _opened(given) as stream:
            for item in _items(stream, _longest(given)):
                statuses.append(
                    server.do(json.dumps([len(statuses), *item]), batch.late(len(statuses), item))
                )
    except Ended as ended:
        statuses.append(ended.status)
    finally:
        server.close()
    if not statuses:
        raise InputError("AGX106", f"`{_name(given)}` holds no source.", hint="Write one a line.")
    return max(statuses)


def _name(given: Given) -> str:
    file: str = given.options["lines"]
    return sources.STANDARD_INPUT if file == "-" else file


def _refuse_what_one_source_has(given: Given, where: output.Destination) -> None:
    """Refuse what fits a single source only: SOURCE itself, one file for the report, a misspelt option."""
    if given.line.sources:
        raise InputError(
            "AGX208",
            f"`--lines {given.options['lines']}` reads the sources, and `{given.line.source}` is one more.",
            hint="Give SOURCE or --lines.",
        )
    if where.file is not None:
        raise InputError(
            "AGX208",
            "`--lines` makes a report for each line, and `-o` names one file.",
            hint="Write them all to stdout: --json > reports.jsonl",
        )
    for name, _ in given.line.bindings:  # with --var it is meant as a name
        if any(is_word_of(word, name) for word in given.line.words):
            names.refuse_misspelt_option(name, given.line)


@contextmanager
def _opened(given: Given) -> Iterator[BinaryIO]:
    """The batch as bytes; MissingError AGX206 for a file that cannot be read."""
    name: str = given.options["lines"]
    if name == "-":
        yield given.environment.stdin.buffer
        return
    try:
        if not stat.S_ISREG(Path(name).stat().st_mode) and not Path(name).is_dir():
            raise OSError(errno.EINVAL, "it is no regular file")
        stream = Path(name).open("rb")  # noqa: SIM115 - closed below, outside what is told as missing
    except OSError as error:
        raise missing_file(name, error) from None
    with stream:
        yield stream


def _longest(given: Given) -> int:
    """The most bytes of a line: a source, or an object with lists of numbers."""
    text: int = given.options.get("max_text", TextLimits.max_text)
    items: int = given.options.get("max_items", Settings.max_items)
    return text + items * sources.BYTES_AN_ITEM


def _items(stream: BinaryIO, most: int) -> Iterator[Item]:
    """The lines that hold something but a comment; of one that is too long its beginning."""
    number = 0
    while line := stream.readline(most + 1):
        number += 1
        rest = line
        while len(rest) > most and not rest.endswith(b"\n"):
            rest = stream.readline(most + 1)
        text = line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").decode("utf-8", "surrogateescape")
        if text.strip() and not text.lstrip().startswith("#"):
            yield Item(number, text.strip())


class _Batch:
    """What all lines have in common: the command line, where reports go, standard input."""

    def __init__(self, given: Given, where: output.Destination, stdin: str | None) -> None:
        self.given = given
        self.where = where
        self.stdin = stdin

    def serve(self, task: str, wire: Wire) -> ExitStatus:
        """Explore the line that a task holds and write its report."""
        before, number, text = json.loads(task)
        item = Item(number, text)
        try:
            report = self.report(item, wire)
            self.put(report, before)
        except OSError:  # stdout takes no more: there is no use in the next line
            raise
        except Exception as error:  # a fault in agx: told, and the next line is run
            unexpected(self.given.environment, error)
            report = refused.report(self.source(item), fault(error), self.given.options)
            self.put(report, before)
        return ExitStatus(report.status)

    def report(self, item: Item, wire: Wire) -> Report:
        """The report of a line; what is wrong with it is among its findings."""
        source = Source(item.text, self.place(item))
        try:
            source, pairs = read(item, source.name, _longest(self.given))
            single = self.single(source, pairs)
            known = names.checked(source, single, by_hand=False)
            kept = needed(known, single.line.bindings, {name for name, _ in pairs})
            return running.report(single, known, kept, self.stdin, wire)
        except AgxError as error:
            return refused.report(source, error, self.given.options)
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            return refused.report(source, out_of_memory(), self.given.options)
        finally:
            wire.done()

    def source(self, item: Item) -> Source:
        """The source that a line holds, the line itself where it holds none."""
        try:
            return read(item, self.place(item), _longest(self.given))[0]
        except AgxError:
            return Source(item.text, self.place(item))

    def single(self, source: Source, pairs: Sequence[tuple[str, str]]) -> Given:
        """The line as if it were typed alone; its own bindings hide those of the command line."""
        own = {name for name, _ in pairs}
        every = [*(pair for pair in self.given.line.bindings if pair[0] not in own), *pairs]
        line = Line(self.given.line.command, (source.text,), [source.text])
        line = Line(line.command, tuple(line.words_with(every)), [source.text], every)
        return replace(self.given, line=line)

    def place(self, item: Item) -> str:
        """What a report calls the line: `expressions.txt:3`."""
        return f"{self.given.options['lines']}:{item.number}"

    def late(self, before: int, item: Item) -> Any:
        """What is done where a line is ended at a bound: write its report so far."""

        def write(so_far: str, reached: AgxError) -> ExitStatus:
            source = self.source(item)
            self.put(refused.so_far(source, so_far, reached, self.given.options), before)
            return reached.status

        return write

    def put(self, report: Report, before: int) -> None:
        """Write a report, `before` others having been written."""
        output.put_next(self.given, self.where, report, before)


def read(item: Item, name: str, most: int) -> tuple[Source, list[tuple[str, str]]]:
    """The source of a line, and the bindings that it brings.

    Raises InputError AGX207 for what is no UTF-8, AGX217 for an object that is not as it
    should be, LimitError AGX108 for a line that is too long.
    """
    if len(item.text) >= most:
        raise LimitError(
            "AGX108", f"The line holds more than {most:,} bytes.", hint="Raise it with --max-text."
        )
    sources.refuse_half_characters(item.text, f"line {item.number}")
    if not item.text.startswith("{"):
        return Source(item.text, name), []
    try:
        return _object(json.loads(item.text), name)
    except ValueError as error:
        raise _odd(f"The line begins with a brace and is no JSON: {error}.") from None
    except RecursionError:
        raise _odd("Its lists nest too deep.") from None


def _object(content: dict[str, Any], name: str) -> tuple[Source, list[tuple[str, str]]]:
    """The source and the bindings of a line that is a JSON object."""
    strangers = [key for key in content if key not in _KEYS]
    if strangers or not isinstance(content.get("source"), str):
        found = f"has a key `{strangers[0]}`" if strangers else "has no text under `source`"
        raise _odd(f"The object {found}.")
    pairs = content.get("bindings", {})
    if not isinstance(pairs, dict):
        raise _odd("`bindings` is no object of names and values.")
    sources.refuse_half_characters(content["source"], "`source`")
    return Source(content["source"], name), [_pair(key, value) for key, value in pairs.items()]


def _pair(key: str, value: Any) -> tuple[str, str]:
    """A binding of an object: its name as Python reads it, its value as text."""
    name = normalize("NFKC", key)
    if why := why_no_name(name):
        raise InputError("AGX210", f"`{name}` cannot be the name of a binding: {why}.")
    return name, _text(name, value)


def _odd(sentence: str) -> InputError:
    return InputError("AGX217", sentence, fix='{"source": "x*y", "bindings": {"x": 2, "y": "randn(3)"}}')


def _text(name: str, value: Any) -> str:
    """The text of a JSON value in the language: a string is one already."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(_text(name, item) for item in value)}]"
    raise _odd(f"`{name}` is {'null' if value is None else 'an object'}; a number, a list or a text is due.")


def needed(known: Understood, pairs: Sequence[tuple[str, str]], own: set[str]) -> list[tuple[str, str]]:
    """The pairs without those of the command line that a line has no use for."""
    used = set(known.usage.names)
    kept = []
    for name, text in reversed(pairs):
        if name in own or name in used:
            kept.append((name, text))
            program = known.values.get(name)
            used |= {node.id for node in walk(program.body) if isinstance(node, Name)} if program else set()
    return kept[::-1]
