"""Repairs looked for by trying: when, how many, and in which order they stand."""

from dataclasses import replace

from autograd_cli.diagnose.search import searched
from autograd_cli.report import Finding, Fix, Severity

FOUND = Finding("AGX346", "operand-shape", Severity.ERROR, "It does not fit.")
CHANGES = [Fix(text, text) for text in ("one", "two", "three", "four")]


def working(*texts: str):
    """An attempt that says which programs work, and notes what was tried."""
    tried: list[str] = []

    def attempt(fix: Fix) -> Fix:
        tried.append(fix.text)
        return replace(fix, ran=True, passed=fix.text in texts)

    return attempt, tried


def test_the_first_two_that_work_are_offered_and_no_more_are_tried():
    attempt, tried = working("two", "three", "four")
    finding = searched(FOUND, CHANGES, attempt)
    assert [fix.text for fix in finding.fix] == ["two", "three"]
    assert tried == ["one", "two", "three"]


def test_a_repair_of_the_rule_that_works_is_enough():
    attempt, tried = working("one")
    own = replace(FOUND, fix=(Fix("its own", "x", ran=True, passed=True),))
    assert searched(own, CHANGES, attempt) is own
    assert tried == []


def test_a_repair_of_a_rule_that_fails_has_met_the_next_mistake():
    attempt, tried = working("one")
    failed = Fix("its own", "x", ran=True, passed=False)
    own = replace(FOUND, code="AGX301", fix=(failed,))
    assert searched(own, CHANGES, attempt) is own
    assert tried == []
    guessed = replace(FOUND, fix=(failed,))
    assert [fix.text for fix in searched(guessed, CHANGES, attempt).fix] == ["one"]


def test_advice_in_words_stands_behind_what_works():
    attempt, _ = working("three")
    advised = replace(FOUND, fix=(Fix("write it otherwise"),))
    assert [fix.text for fix in searched(advised, CHANGES, attempt).fix] == ["three", "write it otherwise"]
    attempt, _ = working()
    assert [fix.text for fix in searched(advised, CHANGES, attempt).fix] == ["write it otherwise"]
