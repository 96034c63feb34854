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
CODE = re.compile(r"AGX\d{3}")

NOT_RUN = {"AGX207", "AGX213", "AGX501", "AGX504", "AGX602", "AGX603"}
"""Pages whose mistake needs a file, a machine or a moment that a test has not."""


def raised():
    """Every code in the package's sources."""
    folder = Path(autograd_cli.__file__).parent
    return {code for path in folder.rglob("*.py") for code in re.findall(r'"(AGX\d{3})"', path.read_text())}


def given(command):
    """The codes that a command prints."""
    from autograd_cli.cli import run

    words = shlex.split(command)
    assert words[0] == "agx"
    stdin = io.TextIOWrapper(io.BytesIO(b""))
    surroundings = Environment(stdin, io.StringIO(), io.StringIO(), {"COLUMNS": "200"})
    run(words[1:], surroundings)
    return set(CODE.findall(surroundings.stdout.getvalue() + surroundings.stderr.getvalue()))


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
    assert {page.code for page in PAGES if not (page.broken and page.fixed)} == NOT_RUN


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.code)
def test_the_broken_command_gives_this_finding_and_no_other(page):
    for command in page.broken:
        assert given(command) == {page.code}, command


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.code)
def test_the_repaired_command_gives_none(page):
    for command in page.fixed:
        assert given(command) == set(), command
