import io
import re
import shlex
from pathlib import Path

import pytest

import autograd_cli
from autograd_cli import catalogue
from autograd_cli.cli.environment import Environment
from autograd_cli.diagnose.logs.rows import ROWS
from autograd_cli.report import Verdict

PAGES = catalogue.pages()
SHOWN = [page for page in PAGES if page.broken]
PROGRAMS = [page for page in PAGES if page.broken_programs]
CODE = re.compile(r"AGX\d{3}")

NOT_RUN = {"AGX216", "AGX501", "AGX602", "AGX603", "AGX608", "AGX609"}
"""Pages whose mistake needs a machine or a moment that a test has not, or words that no page has."""

OF_LOGS = {page.code for page in PAGES if "By a log of the run" in page.sections["How to see it"]}
"""Pages of mistakes that are shown by a log: each must have a row in the table of logs."""


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


def test_every_page_of_logs_is_of_a_row():
    assert OF_LOGS - {row.code for row in ROWS} == set()


def test_every_page_shows_its_mistake_but_those_that_cannot():
    shown = {page.code for page in PAGES if page.broken and page.fixed}
    programs = {page.code for page in PROGRAMS if page.fixed_programs}
    assert {page.code for page in PAGES} - shown - programs == NOT_RUN | OF_LOGS


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


SUBJECTS = catalogue.subjects()
ASKED = [
    *("taylor", "verdict", "verdicts", "subgradient", "jvp", "vjp", "Hessian", "DOMAIN EDGE", "KINK", "JUMP"),
    *("NONDETERMINISTIC", "PRECISION", "NO GRAPH", "WRONG", "OK", "rounding allows", "witness", "gradcheck"),
]


@pytest.mark.parametrize("word", ASKED)
def test_each_word_of_a_report_has_its_page(word):
    printed, told = ran(["explain", word], "")
    assert told == ""
    (found,) = (subject for subject in SUBJECTS if printed == subject.text)
    assert re.search(rf"\b{word}\b", found.text.partition("\n\n|")[2], re.IGNORECASE)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_a_subject_fits_a_terminal_and_its_commands_run(subject):
    assert max(map(len, subject.text.splitlines())) <= 96
    assert len(subject.commands) > 2
    for command in subject.commands:
        _, *words = shlex.split(command)
        printed, told = ran(words, "")
        assert "error" not in printed + told, command


def test_no_word_leads_to_two_pages():
    words = [word for subject in SUBJECTS for word in subject.words]
    assert len(words) == len(set(words))
    assert {word for word in words if word in {n for page in PAGES for n in page.names}} == {
        "kink",
        "precision",
    }


def statuses(text):
    """The status of each verdict in a Markdown table."""
    rows = (line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| "))
    known = {verdict.value for verdict in Verdict}
    return {cells[0]: int(cells[2]) for cells in rows if cells[0] in known}


@pytest.mark.parametrize("place", ["page", "README"])
def test_the_table_of_verdicts_has_each_with_its_status(place):
    (page,) = (subject.text for subject in SUBJECTS if subject.name == "verdicts")
    readme = Path(autograd_cli.__file__).parent.parent / "README.md"
    text = page if place == "page" else readme.read_text()
    assert statuses(text) == {verdict.value: int(not verdict.passes) for verdict in Verdict}
