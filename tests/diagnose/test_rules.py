import re
from pathlib import Path

import pytest
from torch import ones

from autograd_cli import catalogue, diagnose
from autograd_cli.diagnose.failures import FAILURES, LAST, failure
from autograd_cli.diagnose.inspections import INSPECTIONS
from autograd_cli.diagnose.programs import table
from autograd_cli.diagnose.programs.failing import ENDINGS
from autograd_cli.diagnose.seconds import SECONDS
from autograd_cli.errors import LanguageError, Span
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import Failure, Run

TABLES = (*FAILURES, *LAST, *INSPECTIONS, *SECONDS, *ENDINGS, *table.INSPECTIONS, *table.ROOTS)


def test_each_rule_stands_in_the_tables_once():
    for each in (FAILURES, LAST, ENDINGS, SECONDS, (*INSPECTIONS, *table.INSPECTIONS), table.ROOTS):
        functions = [rule for _, rule in each]
        assert len(functions) == len(set(functions))


@pytest.mark.parametrize(
    "rule", [rule for _, rule in TABLES], ids=lambda rule: f"{rule.__module__}.{rule.__name__}"
)
def test_a_rule_says_its_code_first_in_its_docstring(rule):
    code = next(code for code, each in TABLES if each is rule)
    assert rule.__doc__.startswith(code)


def test_every_code_that_the_room_raises_is_in_a_table_but_the_first_and_the_last_asked():
    folder = Path(diagnose.__file__).parent
    of_runs = [path for path in folder.rglob("*.py") if folder / "logs" not in path.parents]
    raised = set(re.findall(r'"(AGX\d{3})"', "".join(path.read_text() for path in of_runs)))
    assert raised == {code for code, _ in TABLES} | {"AGX325", "AGX307"}


def test_names_and_severities_are_those_of_the_page(why):
    finding = why("a+b", a=ones(3), b=ones(4))
    page = catalogue.page(finding.code)
    assert finding.name in page.names
    assert finding.severity is page.severity


def test_a_refusal_of_agx_keeps_its_code():
    program = parse(Source("9**9"))
    error = LanguageError("AGX110", "Too many digits.", text="9**9", span=Span(0, 4), hint="Write a float.")
    run = Run(program, (), [], None, Failure(program.body, None, (), error), Settings())
    (finding,) = failure(run)
    assert (finding.code, finding.name, finding.span) == ("AGX110", "integer-too-large", (0, 4))
    assert [fix.text for fix in finding.fix] == ["Write a float."]


def test_repairs_are_run_and_those_that_fail_are_left_out(why):
    finding = why("(x.t().view(15)).sum()", x=ones(3, 5))
    assert [(fix.ran, fix.passed) for fix in finding.fix] == [(True, True), (True, True)]


def test_a_repair_that_meets_the_next_mistake_is_marked(why):
    finding = why("(a @ b) + c", a=ones(2, 3), b=ones(2, 3), c=ones(7))
    assert [(fix.program, fix.passed) for fix in finding.fix] == [("(a @ b.T) + c", False)]


def test_a_cotangent_that_was_given_needs_no_note(said):
    assert [each.code for each in said("x*2", x=ones(3))] == ["AGX401"]
    assert said("x*2", cotangent_given=True, x=ones(3)) == ()
