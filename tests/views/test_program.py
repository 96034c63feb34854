"""A program's report: its listing, its backwards, whose graph it shows, and what is inspected."""

import re
from dataclasses import replace

import pytest

from autograd_cli.lang.source import cells
from autograd_cli.report.records import (
    Backward,
    Binding,
    Change,
    Finding,
    Fix,
    Inspection,
    Made,
    Round,
    Severity,
    Statement,
    Summary,
    Verdict,
)
from autograd_cli.views import render


def drawn(report, width=None, **options):
    form = "plain" if width is None else "rich"
    return render(report, form, width=width, colour=False, **options)


@pytest.fixture
def did(stored):
    """The rows that one statement has in a listing, line and text apart; columns are two blanks apart."""

    def draw(statement, width=None, **changes):
        report = replace(stored("accumulate"), statements=(statement,), findings=(), bindings=(), **changes)
        rows = drawn(report, width).split("\n\n")[1].splitlines()[1:]
        did = [row[8 + cells(statement.text) :].strip() for row in rows]
        return [row if "»" in row else re.sub(r" {3,}", "  ", row) for row in did]

    return draw


def statement(**parts):
    return Statement(**{"line": 1, "span": (0, 12), "text": "a statement.", **parts})


def tensor(name, value, shape=(), **parts):
    return Made(name, shape, **{"dtype": "float32", "device": "cpu", "value": value, **parts})


@pytest.mark.parametrize(
    ("made", "row"),
    [
        (tensor("x", 2.0, requires_grad=True), "x = 2.  leaf, requires grad"),
        (tensor("y", 0.1, grad_fn="MulBackward0"), "y = 0.1  MulBackward0"),
        (tensor("y", float("nan")), "y = nan  no grad"),
        (tensor("i", 3, dtype="int64"), "i = 3  int64"),
        (tensor("x", (1.0, 2.5), (2,), dtype="float64"), "x = [1., 2.5]  float64"),
        (tensor("x", 1.0, device="cuda:0"), "x = 1.  cuda:0"),
        (tensor("z", 1 + 2j, dtype="complex64"), "z = 1+2j  complex64"),
        (tensor("X", Summary(30, -2.0, 2.0, 1, 0), (10, 3)), "X = (10,3) -2 … 2, 1 nan  no grad"),
        (tensor("e", None, (2, 3)), "e = (2,3)  no grad"),
        (tensor("e", (), (0,)), "e = []  no grad"),
        (Made("k", None, "int", text="3"), "k = 3  Python int"),
        (Made("k", None, "NoneType", text="None"), "k = None"),
        (Made("s", None, "str", text="a\nb"), "s = a b  Python str"),
        (Made("s", None, "str", text="a" * 99), f"s = {'a' * 63}…  Python str"),
    ],
)
def test_a_name_and_what_it_stands_for(did, made, row):
    assert did(statement(made=(made,))) == [row]


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        (Change("x.grad", "backward", None, 4.0, 4.0), ["x.grad  None → 4  adds 4"]),
        (Change("x.grad", "backward", (1.0, 2.0), (2.0, 4.0), (1.0, 2.0)),
         ["x.grad  [1, 2] → [2, 4]  adds [1, 2]"]),
        (Change("w.grad", "backward", None, (1.0, 2.0), (1.0, 2.0)), ["w.grad  None → [1, 2]"]),
        (Change("x.grad", "in-place", 16.0, 0.0), ["x.grad  16 → 0  in place"]),
        (Change("x.grad", "set", 16.0, None), ["x.grad  16 → None"]),
        (Change("x.requires_grad", "set", False, True), ["x.requires_grad  False → True"]),
        (Change("x.requires_grad", "set", None, False), ["x.requires_grad = False"]),
        (Change("z", "in-place", 1.0, 2.0, shares=("y",)),
         ["z  1 → 2  in place", "also y, which shares its memory"]),
        (Change("z", "in-place", 1.0, 2.0, shares=("x", "y")),
         ["z  1 → 2  in place", "also x and y, which share its memory"]),
    ],
)  # fmt: skip
def test_what_changed(did, change, rows):
    assert did(statement(changed=(change,))) == rows


def test_names_made_together_stand_in_one_row(did):
    made = (tensor("v", 3.0, grad_fn="MaxBackward0"), tensor("i", 0, dtype="int64"))
    assert did(statement(made=made)) == ["v = 3.  i = 0  MaxBackward0, int64"]


def test_many_names_made_together_stand_below_each_other(did):
    made = tuple(tensor(f"a_rather_long_name_{at}", 3.14159) for at in range(3))
    assert len(did(statement(made=made))) == 3


def test_a_print_is_shown_as_it_was_printed_and_once(did, stored):
    assert did(statement(printed=("[[1,\n", "   2]]\n"))) == ["» [[1,", "»    2]]"]
    assert drawn(stored("accumulate"), 80).count("tensor(32.)") == 1


def test_an_empty_print_is_a_row(did):
    assert did(statement(printed=("\n",))) == ["»"]


def test_a_claim_stands_beside_what_was_printed(stored):
    assert "? » tensor(16.)   comment says tensor(31.)\n" in drawn(stored("accumulate"), 80)


def test_of_many_printed_lines_the_first_stand_in_the_listing(stored):
    report = replace(stored("accumulate"), statements=(statement(printed=("line\n" * 40,)),), findings=())
    assert drawn(report, 80).count("» line") == 12
    assert "… 28 more lines; --full shows all\n" in drawn(report, 80)
    assert drawn(report, 80, full=True).count("» line") == 40


def loop(first, last, count=500):
    return statement(count=count, last=Round(count, **last), **first)


@pytest.mark.parametrize(
    ("parts", "rows"),
    [
        (({}, {}), ["500×"]),
        (({"made": (tensor("l", 2.31),)}, {"made": (tensor("l", 0.0121),)}),
         ["500×  first l = 2.31  last l = 0.0121  no grad"]),
        (({"made": (tensor("l", 1.0),)}, {"made": (tensor("l", 1.0),)}), ["500×  l = 1.  no grad"]),
        (({"printed": ("0\n1\n",)}, {"printed": ("8\n9\n",)}),
         ["500×  first » 0", "» 1", "last  » 8", "» 9"]),
        (({"printed": ("0\n",)}, {}), ["500×  first » 0", "last  nothing"]),
        (({"made": (Made("i", None, "int", text="0"),)}, {"made": (Made("i", None, "int", text="499"),)}),
         ["500×  first i = 0  last i = 499"]),
    ],
)  # fmt: skip
def test_a_loop_shows_its_first_and_last_round(did, parts, rows):
    assert did(loop(*parts)) == rows


def test_a_statement_that_was_not_reached_says_so(did):
    assert did(statement(count=0)) == ["not reached"]


def test_what_comes_after_a_failure_is_counted(stored):
    text = drawn(stored("stopped"), 80)
    assert "classify.py · failed at line 7" in text
    assert "✗ failed  matmul-shape-mismatch\n 3 more statements were not reached\n" in text
    assert "loss.backward()" not in text


def test_a_failure_after_a_backward_still_shows_its_graph(stored):
    report = stored("accumulate")
    error = Finding("AGX301", "bad-shapes", Severity.ERROR, "They do not fit.", (0, 1), 15)
    ended = tuple(
        replace(one, failed=one.line == 15, count=int(one.line <= 15), changed=()) if one.line >= 15 else one
        for one in report.statements
    )
    text = drawn(replace(report, statements=ended, findings=(error,), root="y2"))
    assert text.startswith("accumulate.py · failed at line 15 · 3 backward calls ")
    assert re.search(r"  15  x\.grad\.zero_\(\) +✗ failed  bad-shapes\n 3 more statements were not", text)
    assert " graph of y2; --root y1 or --root y3 for the others\n" in text


def test_bodies_are_indented_and_clauses_stand_between_them(stored):
    lines = [line.rstrip()[:22].rstrip() for line in drawn(stored("claims")).splitlines()]
    assert lines[lines.index("    3  if a.sum() > 10") + 1 :][:3] == [
        "    4      b = a.sum()",
        "    5  else:",
        "    6      b = a.mean(",
    ]


def test_several_statements_of_a_line_have_its_number_once(stored):
    twice = (statement(text="a = 1", span=(0, 5)), statement(text="b = 2", span=(7, 12)))
    rows = drawn(replace(stored("accumulate"), statements=twice, findings=())).splitlines()
    assert rows[3:5] == ["    1  a = 1", "       b = 2"]


def test_comments_are_kept_when_asked_for(stored):
    report = replace(stored("accumulate"), findings=())
    assert "comment says" in drawn(report)
    assert "# tensor(31.)" not in drawn(report)
    assert "print(x.grad)  # tensor(31.)" in drawn(report, verbose=True)
    assert "y1 = x ** 2  #" not in drawn(report, verbose=True)


def test_a_binding_is_the_first_row(stored):
    binding = Binding("n", "3", (), "float32", "cpu", True, 3.0, "leaf")
    constant = Binding("k", "3", None, "int", "", False, 3, "constant")
    rows = drawn(replace(stored("accumulate"), bindings=(binding, constant))).splitlines()
    assert re.fullmatch(r" +-  --n 3 +n = 3\. +leaf, requires grad", rows[3])
    assert re.fullmatch(r" +-  --k 3 +k = 3 +constant", rows[4])


def test_a_long_program_is_cut_short_unless_all_is_asked_for(stored):
    many = tuple(statement(line=at, text=f"a{at} = 1") for at in range(1, 301))
    report = replace(stored("accumulate"), statements=many, findings=())
    assert "… 100 more statements; --full shows all\n" in drawn(report)
    assert "a300 = 1" in drawn(report, full=True)


def test_the_graph_says_whose_it_is_and_how_to_see_another(stored):
    report = stored("accumulate")
    said = "graph of y3, the last one; --root y1 or --root y2 for the others\n"
    assert said in drawn(report)
    assert " graph of y1; --root y2 or --root y3 for the others\n" in drawn(replace(report, root="y1"))
    two = replace(report, backwards=report.backwards[1:])
    assert "graph of y3, the last one; --root y2 for the other\n" in drawn(two)
    many = tuple(Backward(at, f"r{at}", ()) for at in range(9))
    assert "; --root NAME for the others\n" in drawn(replace(report, backwards=(*many, report.backwards[2])))
    assert "graph of y3\n" in drawn(replace(report, backwards=report.backwards[2:]))
    assert "graph of loss in round 500 of 500\n" in drawn(stored("loop"))


def test_a_root_without_a_name_is_called_out_in_the_head(stored):
    assert "d out/d text" in drawn(replace(stored("accumulate"), root="(x**2).sum()"))


def test_gradients_have_a_block_only_where_a_row_does_not_say_it_all(stored):
    assert "d/dx = " not in drawn(stored("accumulate"))
    assert "d/dw = 2/20 * " in drawn(stored("loop"))
    assert "d/dx = 2 * y\n" in drawn(stored("sharing"))


def test_what_is_wrong_with_another_backward_has_a_block(stored):
    report = stored("accumulate")
    first = report.backwards[0]
    bad = replace(
        first.gradients[0],
        verdict=Verdict.WRONG,
        symbolic=5.0,
        numeric=5.0,
        error_bar=2e-12,
        difference=1.0,
    )
    report = replace(report, backwards=(replace(first, gradients=(bad,)), *report.backwards[1:]))
    text = drawn(report)
    assert "disagree" in text.split("\n\n")[2]
    assert "\ny1  line 6\nd/dx = 2*x\n     autograd 4   formula 5   numeric 5 ± 2e-12\n     disagree" in text


def test_the_rows_of_backwards(stored):
    report = stored("accumulate")
    rows = drawn(report).split("\n\n")[2].splitlines()
    assert rows[2:] == [
        "    6  y1   2*x      4         4        4       agree  4",
        "   11  y2   3*x**2  12        12       12       agree  16 = 4 + 12",
        "   17  y3   4*x**3  32        32       32       agree  32",
    ]


def backwards(stored, *changed, **changes):
    report = replace(stored("accumulate"), backwards=changed, **changes)
    return drawn(report).split("\n\n")[2].splitlines()[1:]


def test_what_is_in_grad_afterwards(stored):
    second = stored("accumulate").backwards[1]
    gradient = second.gradients[0]
    for parts, said in [
        ({"call": "grad"}, "not touched"),
        ({"grad_before": {"x": 4.0}, "grad_after": {"x": -8.0}}, "-8 = 4 + 12"),
        ({"grad_before": {"x": (1.0, 2.0)}, "grad_after": {"x": (2.0, 4.0)}}, "[2, 4], added up"),
        ({"grad_before": {"x": (0.0, 0.0)}, "grad_after": {"x": (2.0, 4.0)}}, "[2, 4]"),
        ({"grad_after": {}}, "-"),
        ({"grad_before": {"x": None}, "grad_after": {"x": None}}, "None"),
    ]:
        assert backwards(stored, replace(second, **parts))[1].endswith(f"agree  {said}")
    less = replace(gradient, autograd=-12.0)
    row = backwards(stored, replace(second, gradients=(less,), grad_after={"x": -8.0}))[1]
    assert row.endswith("-8 = 4 - 12")


def test_a_backward_that_reached_no_leaf_is_a_row(stored):
    assert backwards(stored, Backward(3, "y", ()), root="")[1].split() == ["3", "y", "-", "-"]


def test_a_long_formula_stands_below_the_table_whole(stored):
    first = stored("accumulate").backwards[0]
    formula = " + ".join(f"cos(x**{n})" for n in range(20))
    rows = backwards(stored, replace(first, gradients=(replace(first.gradients[0], formula=formula),)))
    assert rows[-1] == f" d y1/dx = {formula}"
    none = replace(first.gradients[0], formula=None, symbolic=None, no_formula="it writes in place")
    assert backwards(stored, replace(first, gradients=(none,)))[-1] == (
        " d y1/dx has no formula: it writes in place"
    )


def test_the_header_counts(stored):
    report = stored("accumulate")
    finding = Finding("AGX501", "bad", Severity.ERROR, "It is.")
    assert " · 3 backward calls · 1 error · 1 warning" in drawn(
        replace(report, findings=(*report.findings, finding))
    )
    grad = tuple(replace(one, call="grad") for one in report.backwards[:1])
    assert "py · 1 autograd.grad call · 2 backward calls" in drawn(
        replace(report, backwards=grad + report.backwards[1:])
    )
    assert "fit.py · 500 backward calls" in drawn(stored("loop"))
    assert "seed 0 · no_grad · autocast bfloat16\n" in drawn(
        replace(report, mode="no_grad", autocast="bfloat16")
    )


def test_a_place_of_several_lines_is_quoted_line_by_line(stored):
    source = "y = cat([\n    a,\n    b])\nz = 1\n"
    finding = Finding("AGX301", "bad", Severity.ERROR, "It is.", (4, 24), 1, fix=(Fix("do"),))
    text = drawn(replace(stored("accumulate"), source=source, findings=(finding,)))
    assert (
        "   1 │ y = cat([\n     │     ^^^^^\n   2 │     a,\n     │     ^^\n   3 │     b])\n     │     ^^^\n"
    ) in text
    long = "x = [\n" + "    1,\n" * 20 + "]\n"
    finding = replace(finding, span=(0, len(long) - 1))
    assert "   4 │     1,\n     │     ^^\n   … │ to line 22\n" in drawn(
        replace(stored("accumulate"), source=long, findings=(finding,))
    )


FACTS = (("shape", "()"), ("grad", "4"), ("version", "1"))


def test_an_inspection_stands_alone_under_the_header(stored):
    report = replace(stored("accumulate"), inspected=Inspection("x", FACTS))
    blocks = drawn(report, 80).split("\n\n")
    assert len(blocks) == 2 + len(report.findings)
    assert blocks[1].splitlines()[0] == "x"
    assert [line.split() for line in blocks[1].splitlines()[2:]] == [list(fact) for fact in FACTS]
    assert blocks[2].startswith("warning zero-grad-missing")


def test_an_inspection_shows_before_and_after_where_they_differ(stored):
    before = (("shape", "()"), ("grad", "None"), ("version", "1"))
    report = replace(stored("accumulate"), inspected=Inspection("x", FACTS, before, FACTS))
    rows = drawn(report, 80).split("\n\n")[1].splitlines()[1:]
    assert re.split(r"\s{2,}", rows[0].strip()) == ["fact", "before backward", "after it and at the end"]
    assert [row.split() for row in rows[1:]] == [["shape", "()"], ["grad", "None", "4"], ["version", "1"]]
    ends = (("shape", "()"), ("grad", "0"), ("version", "2"))
    report = replace(report, inspected=Inspection("x", ends, before, FACTS))
    rows = drawn(report, 80).split("\n\n")[1].splitlines()[1:]
    assert re.split(r"\s{2,}", rows[0].strip()) == ["fact", "before backward", "after it", "at the end"]
    assert [row.split() for row in rows[2:]] == [["grad", "None", "4", "0"], ["version", "1", "1", "2"]]


def test_a_node_with_a_name_says_it_in_a_picture(stored):
    text = render(stored("accumulate"), "dot", width=None, colour=False)
    assert '"y3 = x ** 4\\nvalue 16\\n' in text
    assert "accumulate.py · 3 backward calls · 1 warning\\n" in text


def test_a_whole_program_that_was_mended_shows_the_lines_that_changed(stored):
    report = stored("accumulate")
    lines = report.source.splitlines()
    mended = "\n".join([*lines[:10], "x.grad = None", *lines[10:]])
    finding = replace(report.findings[0], fix=(Fix("before line 11", mended, True, True),))
    text = drawn(replace(report, findings=(finding,)))
    assert "  fix  before line 11  (run: it works)\n  11 + x.grad = None\n  agx explain" in text
    changed = report.source.replace("y2 = x ** 3", "y2 = x ** 5")
    finding = replace(finding, fix=(Fix("", changed),))
    assert "\n  10 - y2 = x ** 3\n  10 + y2 = x ** 5\n" in drawn(replace(report, findings=(finding,)))


def test_a_function_says_nothing_of_itself(did):
    assert did(statement(made=(Made("f", None, "function", text="f"),))) == [""]
