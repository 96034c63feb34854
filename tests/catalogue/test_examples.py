"""What the programs of all pages have in common."""

import ast

import pytest

from autograd_cli import catalogue
from autograd_cli.catalogue import Kind
from autograd_cli.cli import live
from autograd_cli.diagnose.logs.rows import ROWS

PAGES = catalogue.pages()
PROGRAMS = [
    pytest.param(one.text, id=f"{page.code}-{kind}-{number}")
    for page in PAGES
    for kind in ("broken", "repaired", "alike")
    for number, one in enumerate(getattr(page, kind))
    if one.kind is not Kind.CONSOLE
]
OF_LOGS = [
    page for page in PAGES if page.broken and not page.needs and page.code in {row.code for row in ROWS}
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_a_program_imports_what_it_uses_so_that_it_can_be_pasted_anywhere(text):
    tree = ast.parse(text)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    imported = {
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert names & {"torch", "nn", "F", "np", "math", "copy"} <= imported
    assert imported - names == set()


@pytest.mark.parametrize("page", OF_LOGS, ids=lambda page: page.code)
def test_each_name_that_a_log_may_give_is_shown_by_a_program_of_its_page(page):
    given = {row.name for row in ROWS if row.code == page.code}
    shown = {found.name for example in page.broken for found in live.ran(example).found}
    assert given - shown == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_each_broken_one_has_its_repair_in_the_same_place(page):
    assert [one.kind for one in page.broken] == [one.kind for one in page.repaired]


@pytest.mark.parametrize("page", OF_LOGS, ids=lambda page: page.code)
def test_a_page_of_logs_has_a_program_that_python_alone_can_run(page):
    assert any(one.kind is not Kind.CONSOLE for one in page.broken)


def said(example):
    """What torch says of an example, its errors and warnings, where it says something."""
    if example.kind is Kind.CONSOLE:
        return [found.torch for found in live.ran(example).found if found.torch]
    error, told = live.plainly(example)
    return [error] if error else [found.torch for found in told]


QUOTING = [page for page in OF_LOGS if "What torch says" in page.sections]


@pytest.mark.parametrize("page", QUOTING, ids=lambda page: page.code)
def test_what_torch_says_of_a_page_stands_in_it(page):
    lines = f"    {page.sections['What torch says']}".splitlines()
    quoted = [line for line in lines if line.startswith("    ")]
    for message in (message for example in page.broken for message in said(example)):
        assert any(catalogue.is_same(message, line) for line in quoted), message
