import io
import re
import shlex
from pathlib import Path

import pytest

import autograd_cli
from autograd_cli import catalogue
from autograd_cli.cli import live
from autograd_cli.cli.environment import Environment
from autograd_cli.diagnose.logs.rows import ROWS
from autograd_cli.report import Verdict

PAGES = catalogue.pages()

CANNOT: set[str] = {
    *("AGX216", "AGX335", "AGX337", "AGX338", "AGX339", "AGX340", "AGX341", "AGX342"),
    *("AGX443", "AGX445", "AGX448", "AGX449", "AGX450", "AGX615", "AGX616"),
    *("AGX602", "AGX603", "AGX608", "AGX609"),
}
"""Pages with `needs:` in their head, which says what it takes to show them: no test has that."""

HEADINGS = {"broken": "How to see it", "repaired": "How to fix it", "alike": "When it is fine"}


def raised():
    """Every code in the package's sources."""
    folder = Path(autograd_cli.__file__).parent
    return {code for path in folder.rglob("*.py") for code in re.findall(r'"(AGX\d{3})"', path.read_text())}


def shown(kind):
    """Each example of a kind with its page, by the code and a number."""
    pairs = [(page, each) for page in PAGES for each in enumerate(getattr(page, kind))]
    return [pytest.param(page, one, id=f"{page.code}-{number}") for page, (number, one) in pairs]


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
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+|kink|precision|cancellation", name) for name in names)


def test_every_code_that_is_raised_has_a_page():
    assert raised() - {page.code for page in PAGES} == set()


def test_every_page_is_of_a_code_that_is_raised():
    assert {page.code for page in PAGES} - raised() == set()


def test_every_page_shows_its_mistake_the_repair_and_what_looks_alike_but_those_that_cannot():
    whole = {page.code for page in PAGES if page.broken and page.repaired and page.alike}
    assert {page.code for page in PAGES} - whole == CANNOT


def test_a_page_that_cannot_show_its_mistake_says_what_that_takes_and_is_of_a_row_of_logs():
    assert {page.code for page in PAGES if page.needs} == CANNOT | {"AGX303"}  # by the language it can
    assert CANNOT - {row.code for row in ROWS} - {"AGX216", "AGX602", "AGX603", "AGX608", "AGX609"} == set()


@pytest.mark.parametrize(("page", "example"), shown("broken"))
def test_the_broken_one_gives_this_finding_and_no_other(page, example):
    found = live.ran(example)
    assert found.codes == {page.code}, f"{example.text}\n{found.printed}{found.told}"
    assert {one.name for one in found.found} <= set(page.names)


@pytest.mark.parametrize("kind", ["repaired", "alike"])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_repaired_one_and_what_looks_alike_come_to_their_end_without_a_finding(page, kind):
    for example in getattr(page, kind):
        found = live.ran(example)
        assert (found.codes, found.status) == (set(), 0), f"{example.text}\n{found.printed}{found.told}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_what_looks_alike_is_not_the_repair_again(page):
    assert {example.text for example in page.alike} & {example.text for example in page.repaired} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_an_example_of_a_page_stands_where_it_is_looked_for(page):
    found = [example for kind in HEADINGS for example in getattr(page, kind)]
    assert len(found) == len(catalogue.examples(page.text))


def ran(words, text):
    """What agx prints, on stdout and on stderr, with `text` on its standard input."""
    from autograd_cli.cli import run

    stdin, stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(3))
    stdin.buffer.write(text.encode())
    stdin.buffer.seek(0)
    run(words, Environment(stdin, stdout, stderr, {"COLUMNS": "200"}))
    return stdout.buffer.getvalue().decode(), stderr.buffer.getvalue().decode()


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
