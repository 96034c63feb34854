"""Graphs too large for differences, whose nodes are checked each alone."""

import pytest

from autograd_cli.report import Verdict, Witness


def test_a_graph_too_large_for_differences_is_checked_node_by_node(checked, off, monkeypatch):
    from autograd_cli.gradients.grounds import gather

    monkeypatch.setattr(gather, "DEAR", 1000)
    (found,) = checked("sin(x**2)*exp(x)", {"x": "1.1"}, dtype="float64").gradients
    assert (found.verdict, found.numeric, found.grounds.alone) == (Verdict.OK, None, 4)
    assert "its 4 nodes were each checked alone instead" in found.sentence
    (found,) = checked("off(x**2)*exp(x)", {"x": "1.1"}, use=off(1.0005), dtype="float64").gradients
    assert found.verdict is Verdict.WRONG
    assert [one.text for one in found.grounds.guilty] == ["off(x**2)"]
    (found,) = checked("sin(x**2)*exp(x)", {"x": "1.1"}, elements="all").gradients
    assert found.numeric is not None


@pytest.mark.parametrize(
    ("source", "x", "verdict", "said"),
    [
        ("round(x)*x", "0.5", "JUMP", "round(x) jumps or rises without bound here"),
        ("sqrt(x)", "0.", "DOMAIN EDGE", "sqrt(x) has no values here or on one side"),
        ("log(x)", "0.", "DOMAIN EDGE", "log(x) has no values here or on one side"),
        ("relu(x)*x", "0.", "KINK", "relu(x) has a kink here"),
        ("relu(x)*x", "1.", "OK", "its 2 nodes were each checked alone instead"),
        ("x.masked_fill(x > 0.5, -inf).softmax(0)[0]", "[0.1,0.2,0.7]", "OK", "nodes were each checked"),
    ],
)
@pytest.mark.parametrize("witnesses", [None, ("autograd", "numeric")])
def test_what_is_not_smooth_in_a_node_is_the_verdict(
    checked, monkeypatch, source, x, verdict, said, witnesses
):
    from autograd_cli.gradients.grounds import gather

    monkeypatch.setattr(gather, "DEAR", 1)
    chosen = {} if witnesses is None else {"witnesses": frozenset(map(Witness, witnesses))}
    (found,) = checked(source, {"x": x}, dtype="float64", **chosen).gradients
    assert found.verdict is Verdict(verdict)
    assert said in found.sentence


def test_a_node_that_cannot_be_called_alone_is_not_right_for_that(checked, refusing, monkeypatch):
    from autograd_cli.gradients.grounds import gather

    monkeypatch.setattr(gather, "DEAR", 1)
    report = checked("f(x)*x", {"x": "1.1"}, use=refusing(), dtype="float64")
    (found,) = report.gradients
    assert (found.verdict, found.grounds.alone, report.status) == (None, 1, 1)
    assert "of 2 nodes 1 was checked alone instead" in found.sentence
    assert "f(x) could not be: only of what adds up to 1.1" in found.sentence
