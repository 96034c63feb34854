"""Where a person's own callable cuts the graph: told at its line, and held constant."""

import pytest

from tests.cli.brought import report

STOPPING = """
import torch


def stopped(x, w):
    y = x.detach()
    return y * x + w


def drawn(x):
    torch.manual_seed(0)
    return x * torch.rand_like(x) * torch.randn(x.shape).detach()


def asks(x):
    return x * 2 if (x > 0).all() else x


def holds(x):
    with torch.no_grad():
        y = x * 2
    return y
"""


@pytest.mark.parametrize("through", [(), ("--through-detach",)])
def test_a_cut_inside_is_told_with_its_file_and_line(agx, through):
    words = ("--use", "f=stopping.py:stopped", "--x", "[1.,2.]", "--w", "3.", *through)
    status, out, _ = agx("gradcheck", "f(x, w).sum()", *words, stopping=STOPPING)
    told = [" ".join(line.split()) for line in out.splitlines()]
    if through:
        assert status == 1
        assert "cut the graph ends at y = x.detach() at stopping.py:6" in told
        assert any(line.startswith("the graph is cut at stopping.py:6; autograd gives") for line in told)
        assert any(line.startswith("d/dw OK") for line in told)
        return
    assert status == 0
    said = "cut y = x.detach() at stopping.py:6 counts as a constant (stop-gradient); without the cut: [2, 4]"
    assert told.count(said) == 1


@pytest.mark.parametrize("name", ["drawn", "asks"])
def test_a_draw_and_a_question_inside_are_no_cuts(agx, name):
    words = ("--use", f"f=stopping.py:{name}", "--x", "[1.,2.]", "--dtype", "float64")
    for through in ((), ("--through-detach",)):
        agx("gradcheck", "f(x).sum()", *words, stopping=STOPPING)
        made = report(agx, "gradcheck", "f(x).sum()", *words, *through)
        assert (made["status"], made["gradients"][0]["verdict"]) == (0, "OK")
        assert made["gradients"][0]["grounds"]["cuts"] == []


def test_a_cut_inside_that_leaves_no_graph_is_told_with_its_line(agx):
    agx("ops", stopping=STOPPING)
    made = report(agx, "gradcheck", "f(x).sum()", "--use", "f=stopping.py:holds", "--x", "[1.,2.]")
    (found,) = made["gradients"]
    assert found["verdict"] == "NO GRAPH"
    assert [cut["place"] for cut in found["grounds"]["cuts"]] == ["stopping.py:21"]
