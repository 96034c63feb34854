"""The table of gradients."""

from dataclasses import replace
from math import inf, nan

from autograd_cli.report.records import Summary
from autograd_cli.views import render


def rows(report):
    text = render(report, "tsv", width=None, colour=False)
    return [line.split("\t") for line in text.split("\n")[:-1]]


def test_one_row_a_gradient(stored):
    head = (
        "name autograd formula_value numeric error_bar difference tolerance verdict formula "
        "row line round root before after node grad_fn shape dtype bytes storage"
    )
    x = "x 2.583853244781494 2.583853163452858 2.5838531634 3e-11 8.1e-08 3.1e-07 OK"
    y = "y 2.0 2.0 2.0 2e-12 0.0 2.4e-07 OK x"
    place = ["gradient", *[""] * 11]
    found = [head.split(), [*x.split(), "y + cos(x)", *place], [*y.split(), *place]]
    assert rows(stored("two_ways")) == found


def test_a_program_has_its_statements_and_then_its_backwards(stored):
    assert [row[:1] + row[9:15] for row in rows(stored("accumulate"))[1:6]] == [
        ["x", "made", "2", "1", "", "", "2.0"],
        ["y1", "made", "5", "1", "", "", "4.0"],
        ["x.grad", "changed", "6", "1", "", "", "4.0"],
        ["", "printed", "7", "1", "", "", "tensor(4.)"],
        ["y2", "made", "10", "1", "", "", "8.0"],
    ]
    second = rows(stored("accumulate"))[-2]
    assert second[:3] == ["x", "12.0", "12.0"]
    assert second[7:15] == ["OK", "3*x**2", "backward", "11", "1", "y2", "4.0", "16.0"]
    assert [row[0] for row in rows(stored("accumulate")) if row[9] == "gradient"] == []


def test_a_loop_has_its_first_and_last_round(stored):
    found = [row for row in rows(stored("loop")) if row[0] == "loss"]
    assert [(row[10], row[11], row[14]) for row in found] == [
        ("9", "1", "19.010684967041016"),
        ("9", "500", "7.418066269755663e-13"),
    ]


def test_what_is_no_tensor_is_its_text(stored):
    made = {row[0]: row[14] for row in rows(stored("sharing")) if row[9] == "made"}
    assert made["k"] == "3"
    assert made["z"] == "[1.0, 2.0]"


def test_a_root_without_a_backward_has_its_gradients(stored):
    assert [row[12] for row in rows(stored("sharing")) if row[9] == "gradient"] == ["total"]


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
    assert found[1][8] == "x\\ty"
