"""The table of gradients."""

from dataclasses import replace
from math import inf, nan

from autograd_cli.report.records import Summary
from autograd_cli.views import render


def rows(report):
    text = render(report, "tsv", width=None, colour=False)
    return [line.split("\t") for line in text.split("\n")[:-1]]


def test_one_row_a_gradient(stored):
    head = "name autograd formula_value numeric error_bar difference tolerance verdict formula"
    x = "x 2.583853244781494 2.583853163452858 2.5838531634 3e-11 8.1e-08 3.1e-07 OK"
    y = "y 2.0 2.0 2.0 2e-12 0.0 2.4e-07 OK x"
    assert rows(stored("two_ways")) == [head.split(), [*x.split(), "y + cos(x)"], y.split()]


def test_a_report_without_gradients_is_the_header(stored):
    assert len(rows(stored("failed"))) == 1


def test_values_of_every_kind(stored):
    report = stored("sin")
    values = [None, nan, -inf, ((1.0, nan), (2.0, 3.0)), Summary(9, 0.0, 1.0, 0, 0), 1j]
    gradients = tuple(replace(report.gradients[0], autograd=value) for value in values)
    assert [row[1] for row in rows(replace(report, gradients=gradients))[1:]] == [
        "",
        "nan",
        "-inf",
        '[[1.0, "nan"], [2.0, 3.0]]',
        '{"count": 9, "min": 0.0, "max": 1.0, "nan": 0, "inf": 0}',
        '{"real": 0.0, "imag": 1.0}',
    ]


def test_tabs_and_line_breaks_in_a_text_are_escaped(stored):
    report = stored("sin")
    gradient = replace(report.gradients[0], name="a\tb\nc\rd\\e\x1b", formula="x\ty")
    found = rows(replace(report, gradients=(gradient,)))
    assert found[1][0] == "a\\tb\\nc\\rd\\\\e\\x1b"
    assert found[1][-1] == "x\\ty"
