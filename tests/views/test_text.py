"""Text views: widths, colour, and a person's text that must not act on anything."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest

from autograd_cli.errors import InputError
from autograd_cli.lang.source import cells
from autograd_cli.report.records import Finding, Fix, Graph, Severity
from autograd_cli.views import FORMATS, render
from autograd_cli.views.numbers import number
from autograd_cli.views.pieces import one_line

HOSTILE = [
    "x[/i]",
    "x[red]",
    "[link=https://a.b]x[/link]",
    "\x1b[31mx",
    "\x1b]0;title\x07",
    "x\ny",
    "x\r\ny",
    "a\tb",
    "\u202ex",
    "\u2066x",
    "数学",
    "\ud800",
    "\x00",
    "\x9b2J",
    ":smile:",
    "<b>&amp;</b>",
    "\\N\\n",
    '"quoted"',
]
ACTING = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def everywhere(report, text):
    """`report` with `text` in every place where a person's or torch's text can stand."""
    place, fix = (0, len(text)), Fix(text, text, True, True)
    finding = Finding(
        "AGX307", text, Severity.ERROR, text, place, 1, text, (text,), {}, (fix,), (text,)
    )  # fmt: skip
    nodes = tuple(n._replace(text=text, op=text, leaf=text if n.leaf else None) for n in report.graph.nodes)
    gradients = tuple(
        replace(g, name=text, formula=text, shapes=text, sentence=text, notes=(text,))
        for g in report.gradients
    )
    bindings = tuple(replace(b, name=text, text=text) for b in report.bindings)
    stretched = tuple(replace(s, text=text) for s in report.graph.stretched)
    graph = replace(report.graph, nodes=nodes, stretched=stretched)
    output = replace(report.output, text=text)
    return replace(
        report, source=text, name=text, device=text, dtype=text, output=output, graph=graph,
        gradients=gradients, bindings=bindings, findings=(finding,),
    )  # fmt: skip


@pytest.mark.parametrize("form", ["rich", "plain", "tsv", "dot", "python"])
@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_text_acts_on_a_terminal(stored, form, text):
    drawn = render(everywhere(stored("linear_regression"), text), form, width=80, colour=False)
    left = drawn.replace("\t", "") if form in ("tsv", "dot") else drawn
    assert ACTING.findall(left) == []


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_failed_report_is_as_safe(stored, text):
    report = replace(everywhere(stored("sin"), text), output=None, graph=None)
    for form in ("rich", "plain"):
        assert ACTING.findall(render(report, form, width=80, colour=False)) == []


@pytest.mark.parametrize("text", ["x[/i]", "x[red]", "[link=https://a.b]x[/link]", ":smile:"])
def test_markup_is_text(stored, text):
    report = everywhere(stored("sin"), text)
    assert render(report, "rich", width=200, colour=False).count(text) >= 8
    assert render(report, "plain", width=None, colour=False).count(text) >= 8


def test_colour_colours_only_when_asked(stored):
    report = stored("sin")
    coloured = render(report, "rich", width=80, colour=True)
    bare = render(report, "rich", width=80, colour=False)
    assert "\x1b[" in coloured
    assert "\x1b" not in bare
    without = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in without.splitlines()] == bare.splitlines()


def test_the_environment_does_not_change_the_drawing(stored, monkeypatch):
    before = render(stored("sin"), "rich", width=80, colour=True)
    for name in ("NO_COLOR", "COLUMNS", "LINES", "TERM", "FORCE_COLOR"):
        monkeypatch.setenv(name, "20")
    assert render(stored("sin"), "rich", width=80, colour=True) == before


@pytest.mark.parametrize("width", [40, 80, 100, 120, 200])
@pytest.mark.parametrize(
    "name", ["sin", "linear_regression", "two_ways", "cross_entropy", "verdicts", "deep", "hostile"]
)
def test_no_line_is_wider_than_the_terminal(stored, name, width):
    drawn = render(stored(name), "rich", width=width, colour=False)
    pasted = ("d/d", "   │", "     │", "  2 │")
    lines = [line for line in drawn.splitlines() if not line.startswith(pasted)]
    assert [line for line in lines if cells(line) > width] == []


def test_a_fix_is_never_broken(stored):
    fix = 'agx trace "mean(relu(X @ w) + b)" --X "randn(10,3)" --w "randn(3,1)" --b 0.5\n'
    assert fix in render(stored("failed"), "rich", width=60, colour=False)


def test_a_formula_is_never_broken(stored):
    report = stored("sin")
    formula = " + ".join(f"cos(x**{n})" for n in range(40))
    report = replace(report, gradients=(replace(report.gradients[0], formula=formula),))
    for form in ("rich", "plain"):
        assert f"d/dx = {formula}\n" in render(report, form, width=80, colour=False)


def test_a_narrow_terminal_cuts_texts_with_an_ellipsis_and_a_pipe_nothing(drawn):
    text = "very_long_name_of_a_tensor + another_very_long_name_of_a_tensor + the_last_one"
    report = drawn({0: [1]}, texts={1: text})
    assert text not in render(report, "rich", width=80, colour=False)
    assert "└─ very_long_na" in render(report, "rich", width=80, colour=False)
    assert text in render(report, "plain", width=20, colour=False)


def test_a_reference_uses_the_room_of_the_empty_cells(drawn):
    report = drawn({0: [1], 1: [2, 3], 3: [2]}, texts={0: "n" * 60, 2: "a_name_of_some_length"})
    assert "└─ a_name_of_some_length  ↑ row 2\n" in render(report, "rich", width=80, colour=False)


def test_a_number_that_is_not_finite_stands_out(stored):
    assert "\x1b[1;31mnan  inf\x1b[0m" in render(stored("verdicts"), "rich", width=80, colour=True)


def test_a_report_of_a_run_that_goes_on_is_its_header_and_bindings(stored):
    report = replace(stored("sin"), graph=Graph(root=0), gradients=())
    assert render(report, "plain", width=None, colour=False).split("\n\n") == [
        "sin(x**2) = -0.7568025                        float32 · cpu · seed 0 · keeps 8 B",
        " name  typed  shape  dtype    device  values\n x     2      ()     float32  cpu     2\n",
    ]


def test_a_long_formula_without_shapes_has_no_empty_line_after_it(stored):
    report = stored("sin")
    report = replace(report, gradients=(replace(report.gradients[0], formula="x + " * 30 + "x"),))
    assert "x + x\n     autograd" in render(report, "rich", width=80, colour=False)


def test_plain_does_not_depend_on_the_width(stored):
    report = stored("linear_regression")
    text = render(report, "plain", width=None, colour=False)
    assert render(report, "plain", width=20, colour=False) == text


@pytest.mark.parametrize("name", ["sin", "linear_regression", "hostile", "accumulate", "second"])
def test_plain_may_be_coloured_and_says_the_same(stored, name):
    coloured = render(stored(name), "plain", width=None, colour=True)
    assert coloured.count("\x1b[") > 10
    shown = "".join(f"{line.rstrip()}\n" for line in re.sub(r"\x1b\[[\d;]*m", "", coloured).splitlines())
    assert shown == render(stored(name), "plain", width=None, colour=False)


def test_a_cell_without_room_goes_on_in_the_next_line(stored):
    lines = render(stored("steps"), "rich", width=80, colour=False).splitlines()
    place = next(number for number, line in enumerate(lines) if line.endswith("the same as other of"))
    assert max(map(len, lines)) <= 80
    assert lines[place + 1] == " " * lines[place].index("the same") + "row 1"


def test_one_very_long_text_does_not_push_the_other_rows_away(drawn):
    report = drawn({0: [1]}, texts={0: "a+" * 400 + "a"})
    row = render(report, "plain", width=None, colour=False).splitlines()[4]
    assert len(row) < 160


def test_large_gradients_are_summarised_unless_everything_is_asked_for(stored):
    report = stored("cross_entropy")
    assert "of 12 elements" in render(report, "rich", width=80, colour=False)
    full = render(report, "rich", width=80, colour=False, full=True)
    assert "of 12 elements" not in full
    assert re.search(r"^     numeric   \[\[ *-?0\.\d+, ", full, re.MULTILINE)
    narrow = render(report, "rich", width=50, colour=False, full=True)
    assert "from [3,0]\n" in narrow
    assert "numeric" in full


def test_an_unknown_format_is_refused(stored):
    with pytest.raises(InputError, match=r"^pptx is not a format of a report\.$") as caught:
        render(stored("sin"), "pptx", width=80, colour=False)
    assert caught.value.hint == "Formats: rich, plain, json, tsv, dot, python."
    assert caught.value.code == "AGX212"


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_format_draws_every_stored_report_and_ends_its_last_line(stored, form):
    for name in ("sin", "failed", "verdicts", "hostile"):
        assert render(stored(name), form, width=80, colour=False).endswith("\n")


LEAN = """
import sys
from autograd_cli.report.json import from_json
from autograd_cli.views import render
render(from_json(sys.stdin.read()), {form!r}, width=80, colour=False)
print(*(name for name in {names} if name in sys.modules))
"""


@pytest.mark.parametrize(
    ("form", "names", "loaded"),
    [
        ("plain", ["torch", "rich", "graphviz"], ""),
        ("rich", ["torch", "graphviz", "rich.markdown", "rich.console"], "rich.console"),
        ("dot", ["torch", "rich", "graphviz"], "graphviz"),
    ],
)
def test_a_view_loads_only_what_it_needs(stored, form, names, loaded):
    from autograd_cli.report.json import to_json

    done = subprocess.run(
        [sys.executable, "-c", LEAN.format(form=form, names=names)],
        input=to_json(stored("sin")),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == loaded


def test_a_very_long_line_of_blanks_is_shown_in_no_time():
    text = "x" + " " * 200_000 + "+1\n\n  +2"
    assert one_line(text) == "x" + " " * 200_000 + "+1 +2"


def test_text_in_the_place_of_a_number_is_shown_as_it_is():
    assert number("torch.float32") == "torch.float32"
    assert number("\x1b[31m") == "\\x1b[31m"


@pytest.mark.parametrize("check", [False, True])
def test_a_plain_difference_stands_after_the_numeric_slope(stored, check):
    report = stored("sin")
    said = "step 1e-4 in float32 is off by 0.0012"
    gradients = tuple(replace(one, plain=-2.6133658, plain_sentence=said) for one in report.gradients)
    drawn = render(replace(report, gradients=gradients), "rich", width=None, colour=False, check=check)
    order = r"numeric +-2\.6145745 ± 4e-11\s+plain +-2\.6133658\s.*" + re.escape(said)
    assert re.search(order, drawn, re.DOTALL)


@pytest.mark.parametrize("width", [60, 70, 80])
def test_a_range_and_an_error_bar_are_not_broken(stored, width):
    for name in ("linear_regression", "cross_entropy", "second_product"):
        for line in render(stored(name), "rich", width=width, colour=False, check=width == 70).splitlines():
            assert not line.endswith((" …", "±"))
            assert not line.strip().startswith("… ")
