"""What a person reads about a source that is not in the language: the whole text, case by case.

A golden file holds blocks: `> ` with the source as a Python string, perhaps `bound` with
the names that have a value, then what is said. `pytest --refresh-golden` writes what is
said anew under each source; read the difference before keeping it.
"""

from ast import literal_eval
from pathlib import Path

import pytest

from autograd_cli.errors import AgxError
from autograd_cli.lang.check import check
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source, quote

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.txt"))
BOUND = ("x", "y", "w", "X")


def _blocks(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").strip("\n").split("\n\n")


def _asked(block: str) -> tuple[str, tuple[str, ...]]:
    """The source of a block and the names that are bound."""
    first, *rest = block.split("\n")
    bound = next((line.removeprefix("bound ").split() for line in rest if line.startswith("bound ")), BOUND)
    return literal_eval(first.removeprefix("> ")), tuple(bound)


def _said(source: str, bound: tuple[str, ...]) -> str:
    """What is said of the source, as it stands in a golden file."""
    head = f"> {source!r}" if source.isprintable() else f"> {source!a}"
    if bound != BOUND:
        head += f"\nbound {' '.join(bound)}"
    try:
        usage = check(parse(Source(source)), bound)
    except AgxError as error:
        return f"{head}\n{_drawn(error)}"
    return f"{head}\naccepted; unbound: {' '.join(usage.unbound) or 'nothing'}"


def _drawn(error: AgxError) -> str:
    lines = [f"{error.code} {error.sentence}"]
    if error.span is not None:
        quoted = quote(error.text, error.span)
        lines += [f"  | {quoted.line}", f"  | {quoted.carets}"]
    lines.append(f"hint {error.hint}")
    return "\n".join([*lines, f"fix  {error.fix!r}"] if error.fix else lines)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_what_is_said_is_what_the_golden_file_holds(path: Path, request: pytest.FixtureRequest) -> None:
    blocks = _blocks(path)
    said = [_said(*_asked(block)) for block in blocks]
    if request.config.getoption("--refresh-golden"):
        path.write_text("\n\n".join(said) + "\n", encoding="utf-8")
    assert _blocks(path) == said


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_fix_is_a_source_that_python_reads(path: Path) -> None:
    for block in _blocks(path):
        fix = block.rpartition("\nfix  ")[2] if "\nfix  " in block else ""
        if fix:
            assert parse(Source(literal_eval(fix))).statements


def test_there_are_golden_files() -> None:
    assert [path.stem for path in GOLDEN] == [
        "arguments",
        "characters",
        "names",
        "programs",
        "refusals",
        "syntax",
    ]
