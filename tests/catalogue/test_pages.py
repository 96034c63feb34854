import io
import re
import shlex
from pathlib import Path

import pytest

import autograd_cli
from autograd_cli import catalogue
from autograd_cli.cli.environment import Environment

PAGES = catalogue.pages()
SHOWN = [page for page in PAGES if page.broken]
PROGRAMS = [page for page in PAGES if page.broken_programs]
CODE = re.compile(r"AGX\d{3}")

NOT_RUN = {"AGX216", "AGX501", "AGX602", "AGX603", "AGX608", "AGX609"}
"""Pages whose mistake needs a machine or a moment that a test has not, or words that no page has."""


def raised():
    """Every code in the package's sources."""
    folder = Path(autograd_cli.__file__).parent
    return {code for path in folder.rglob("*.py") for code in re.findall(r'"(AGX\d{3})"', path.read_text())}


def given(pipeline):
    """The codes that a command prints, or a pipe of echo and agx at its end and on stderr."""
    printed, told = "", ""
    for command in pipeline.split(" | "):
        program, *words = shlex.split(command)
        if program == "echo":
            printed = " ".join(words) + "\n"
        else:
            assert program == "agx"
            printed, errors = ran(words, printed)
            told += errors
    return set(CODE.findall(printed + told))


def ran(words, text):
    """What agx prints, on stdout and on stderr, with `text` on its standard input."""
    from autograd_cli.cli import run

    stdin, stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(3))
    stdin.buffer.write(text.encode())
    stdin.buffer.seek(0)
    run(words, Environment(stdin, stdout, stderr, {"COLUMNS": "200"}))
    return stdout.buffer.getvalue().decode(), stderr.buffer.getvalue().decode()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_a_page_has_the_headings_in_order_with_text_under_each(page):
    first, *rest = page.sections
    assert first in ("What torch says", "What agx says")
    assert rest == list(catalogue.HEADINGS[1:])
    assert all(page.sections.values())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_a_page_fits_a_terminal_but_for_what_torch_says(page):
    own = page.text.replace(page.sections.get("What torch says", ""), "")
    assert max(len(line) for line in own.splitlines() if not line.startswith("agx ")) <= 96


def test_names_are_distinct_and_in_kebab_case():
    names = [name for page in PAGES for name in page.names]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+|kink|precision", name) for name in names)


def test_every_code_that_is_raised_has_a_page():
    assert raised() - {page.code for page in PAGES} == set()


def test_every_page_is_of_a_code_that_is_raised():
    assert {page.code for page in PAGES} - raised() == set()


def test_every_page_shows_its_mistake_but_those_that_cannot():
    shown = {page.code for page in PAGES if page.broken and page.fixed}
    programs = {page.code for page in PROGRAMS if page.fixed_programs}
    assert {page.code for page in PAGES} - shown - programs == NOT_RUN


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.code)
def test_the_broken_command_gives_this_finding_and_no_other(page):
    for command in page.broken:
        assert given(command) == {page.code}, command


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.code)
def test_the_repaired_command_gives_none(page):
    for command in page.fixed:
        assert given(command) == set(), command


def codes_of(program, path):
    """The codes that `agx trace` gives a program in a file of its own."""
    path.write_text(program)
    return set(CODE.findall("".join(ran(["trace", str(path)], ""))))


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda page: page.code)
def test_the_broken_program_gives_this_finding_and_no_other(page, tmp_path):
    for program in page.broken_programs:
        assert codes_of(program, tmp_path / "broken.py") == {page.code}, program


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda page: page.code)
def test_the_repaired_program_gives_none(page, tmp_path):
    for program in page.fixed_programs:
        assert codes_of(program, tmp_path / "fixed.py") == set(), program
