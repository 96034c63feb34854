"""Verdicts that a person may know beforehand, each with what makes it so."""

from dataclasses import replace

import pytest

from autograd_cli.report import Verdict, Witness
from autograd_cli.run.settings import Use

CASES = [
    ("sin(x**2)", "2.", "OK"),
    ("relu(x)", "0.", "KINK"),
    ("abs(x)", "0.", "KINK"),
    ("torch.maximum(x, zeros(()))", "0.", "KINK"),
    ("clamp(x, -1, 1)", "1.", "KINK"),
    ("sqrt(x)", "0.", "DOMAIN EDGE"),
    ("sign(x)*sqrt(abs(x))", "0.", "JUMP"),
    ("round(x)", "0.5", "JUMP"),
    ("F.dropout(x)", "2.", "NONDETERMINISTIC"),
    ("x.detach()*x", "2.", "OK"),
    ("(x*2).detach()", "2.", "NO GRAPH"),
    ("3*x", "2.", "OK"),
    ("floor(x)", "2.", "JUMP"),
    ("where(x>0, x, 2*x)", "0.", "KINK"),
    ("where(x>0, x+1, x)", "0.", "JUMP"),
    ("(x*(x>=0)).sum()", "[0.,1.]", "KINK"),
    ("where(x>0, x, 2*x)", "1.", "OK"),
    ("x[x>5]", "[4.,5.,6.]", "OK"),
    ("masked_select(x, x>5)", "[4.,5.,6.]", "OK"),
    ("log(x)", "0.", "DOMAIN EDGE"),
    ("x**1.5", "0.", "DOMAIN EDGE"),
    ("asin(x)", "1.", "DOMAIN EDGE"),
    ("1/x", "0.", "DOMAIN EDGE"),
    ("x.norm()", "[0.,0.]", "KINK"),
    ("x.max()", "[1.,1.]", "KINK"),
    ("abs(x)**3", "0.", "OK"),
    ("x*abs(x)", "0.", "OK"),
    ("F.leaky_relu(x)", "0.", "KINK"),
    ("F.threshold(x, 1., 0.)", "1.", "JUMP"),
    ("sign(x)*abs(x)**(1/3)", "0.", "JUMP"),
    ("remainder(x, 1.)", "2.", "JUMP"),
    ("log(exp(x)+1)-x", "12.", "PRECISION"),
    ("((1+x)-1)/x", "1e-5", "PRECISION"),
    ("x.item()*x", "2.", "OK"),
    ("x.int()*x", "2.5", "OK"),
    ("(x>0).float()", "2.", "NO GRAPH"),
    ("rand(3).sum()*x", "2.", "NONDETERMINISTIC"),
    ("torch.manual_seed(0)\ny = rand(3).sum()*x\ny", "2.", "OK"),
]

NOTHING = """
import torch

class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return {forward}

    @staticmethod
    def backward(ctx, grad):
        return None
"""


@pytest.mark.parametrize(("source", "x", "verdict"), CASES)
def test_a_verdict_that_is_known(checked, source, x, verdict):
    report = checked(source, {"x": x})
    assert [gradient.verdict for gradient in report.gradients] == [Verdict(verdict)]
    assert report.status == (0 if Verdict(verdict).passes else 1)


def test_an_output_that_is_no_tensor_has_no_graph(checked):
    (found,) = checked("x.tolist()", {"x": "[1.,2.]"}).gradients
    assert found.verdict is Verdict.NO_GRAPH
    assert [cut.text for cut in found.grounds.cuts] == ["x.tolist()"]


@pytest.mark.parametrize(("forward", "verdict"), [("x * 2", "WRONG"), ("torch.ones(2)", "OK")])
def test_a_backward_that_gives_nothing_says_that_the_slope_is_0(checked, tmp_path, forward, verdict):
    file = tmp_path / "nothing.py"
    file.write_text(NOTHING.replace("{forward}", forward))
    (found,) = checked(
        "f(x).sum()", {"x": "[0.3,1.7]"}, use=(Use("f", str(file), "Nothing.apply"),)
    ).gradients
    assert (found.verdict, found.autograd) == (Verdict(verdict), (0, 0))


def test_the_next_thing_depends_on_whose_rule_is_wrong(checked, off):
    (found,) = checked("det(x)", {"x": "[[1.,2.],[2.,4.]]"}, dtype="float64").gradients
    assert found.verdict is Verdict.WRONG
    assert found.grounds.next.startswith("write det(x) in another form")
    (found,) = checked("off(x)", {"x": "1."}, use=off(), dtype="float64").gradients
    assert found.grounds.next == "mend the backward of off(x)"


@pytest.mark.parametrize("factor", [-1, 0.5, 0.97, 1.0005, 1.03])
def test_a_wrong_backward_is_wrong_of_order_one(checked, off, factor):
    (found,) = checked("off(x**2)*x", {"x": "1.1"}, use=off(factor), dtype="float64").gradients
    assert found.verdict is Verdict.WRONG
    assert found.grounds.order == pytest.approx(1, abs=0.1)
    (guilty,) = found.grounds.guilty
    assert (guilty.text, guilty.operand, guilty.line) == ("off(x**2)", "x**2", 1)
    assert guilty.relative == pytest.approx(abs(1 - factor) / max(1, abs(factor)), rel=1e-3)


def test_of_a_wrong_formula_the_nodes_that_were_checked_are_counted(checked, monkeypatch):
    from autograd_cli.gradients import check as checking
    from autograd_cli.symbolic import derive
    from autograd_cli.symbolic.terms import Term

    def lying(made, came):
        factor, found = Term(2001, 2000), real(made, came)
        if made.step.key != "sin":
            return found
        return [(o, replace(v, terms=tuple(factor.times(t) for t in v.terms))) for o, v in found]

    real = derive._passed
    monkeypatch.setattr(checking, "differentiate", derive.differentiate)
    monkeypatch.setattr(derive, "_passed", lying)
    (found,) = checked("exp(sin(x)*x)", {"x": "1.1"}).gradients
    assert (found.verdict, found.odd) == (Verdict.WRONG, Witness.SYMBOLIC)
    assert ([one.text for one in found.grounds.guilty], found.grounds.alone) == (["sin(x)"], 3)


def test_a_right_backward_is_of_order_two(checked, off):
    (found,) = checked("off(x**2)*x", {"x": "1.1"}, use=off(1.0), dtype="float64").gradients
    assert (found.verdict, found.grounds.guilty) == (Verdict.OK, ())
    assert found.grounds.order == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize(
    ("source", "cut", "slope"), [("x.detach()*x", "x.detach()", 4.0), ("x.item()*x", "x.item()", 4.0)]
)
def test_a_cut_is_right_with_a_note_and_wrong_through_it(checked, source, cut, slope):
    (found,) = checked(source, {"x": "2."}).gradients
    assert (found.verdict, found.notes) == (Verdict.OK, ("stop-gradient",))
    assert [one.text for one in found.grounds.cuts] == [cut]
    assert found.grounds.uncut == pytest.approx(slope)
    assert "--through-detach" in found.grounds.next
    report = checked(source, {"x": "2."}, through_detach=True)
    assert (report.gradients[0].verdict, report.status) == (Verdict.WRONG, 1)
    assert cut in report.gradients[0].sentence


def test_a_leaf_behind_a_cut_alone_is_wrong_through_it(checked):
    given = {"x": "2.", "y": "3."}
    x, y = checked("x.detach()*y", given, through_detach=True).gradients
    assert (x.verdict, y.verdict) == (Verdict.WRONG, Verdict.OK)
    x, _ = checked("x.detach()*y", given).gradients
    assert (x.verdict, x.grounds.uncut) == (Verdict.OK, pytest.approx(3.0))


def test_a_cut_that_changes_no_slope_has_no_note(checked):
    (found,) = checked("x.int()*x", {"x": "2.5"}).gradients
    assert (found.notes, found.grounds.uncut) == ((), None)


def test_where_draws_differ_the_fixed_verdict_stands_beside(checked):
    report = checked("F.dropout(x).sum()", {"x": "[1.,2.,3.]"})
    (found,) = report.gradients
    assert (found.verdict, found.grounds.fixed) == (Verdict.NONDETERMINISTIC, Verdict.OK)
    assert report.checks.repeat.text == "F.dropout(x)"
    assert report.checks.repeat.first != report.checks.repeat.second


def test_an_allowed_verdict_is_status_0(checked):
    assert checked("round(x)", {"x": "0.5"}, allow=(Verdict.JUMP,)).status == 0
    assert checked("sqrt(x)", {"x": "0."}, allow=(Verdict.JUMP,)).status == 1


def test_the_sides_of_a_kink_and_whether_autograd_lies_between(checked):
    (found,) = checked("abs(x).sum()", {"x": "[0.,1.]"}).gradients
    (sides,) = found.grounds.sides
    assert (sides.index, sides.autograd, sides.between) == ((0,), 0, True)
    assert (sides.left, sides.right) == pytest.approx((-1, 1))


def test_the_node_that_loses_most_digits_is_the_difference(checked):
    (found,) = checked("2*((1+x)-1)/x", {"x": "1e-5"}).gradients
    loss = found.grounds.loss
    assert loss.text == "(1+x)-1"
    assert loss.leaves > 100 * loss.arrives


def test_the_worst_elements_come_first(checked, off):
    (found,) = checked("(off(x)*x).sum()", {"x": "[0.1,3.,0.2]"}, use=off(), dtype="float64").gradients
    shares = [one.difference / one.tolerance for one in found.grounds.elements]
    assert shares == sorted(shares, reverse=True)
    assert found.grounds.elements[0].difference == pytest.approx(
        abs(found.grounds.elements[0].autograd - found.grounds.elements[0].reference)
    )


def test_outputs_that_cancel_are_looked_at_one_by_one(checked, off):
    """The sum of the two rows hides what is wrong in each."""
    (found,) = checked("stack((off(x), -off(x)))", {"x": "1."}, use=off(), dtype="float64").gradients
    assert found.verdict is Verdict.WRONG
    assert found.sentence.startswith("output [0]: ")
    assert found.grounds.outputs == "each of the 2 elements of the output by itself"


COMPLEX = """
import torch

class Complex(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * (1 + 2j)

    @staticmethod
    def backward(ctx, grad):
        return {backward}
"""


@pytest.mark.parametrize("x", ["1.5", "[1.,2.]", "randn(40)"])
@pytest.mark.parametrize(
    ("backward", "verdict"), [("grad.real", "WRONG"), ("grad.real + 2 * grad.imag", "OK")]
)
def test_a_backward_that_forgets_the_imaginary_part_is_wrong(checked, tmp_path, x, backward, verdict):
    file = tmp_path / "complex.py"
    file.write_text(COMPLEX.replace("{backward}", backward))
    use = (Use("f", str(file), "Complex.apply"),)
    (found,) = checked("f(x)*1", {"x": x}, use=use, dtype="float64").gradients
    assert found.verdict is Verdict(verdict)


def test_how_a_complex_output_is_covered(checked):
    (found,) = checked("fft.fft(x)", {"x": "[1.,2.]"}).gradients
    assert found.grounds.outputs == "each of the 2 elements of the output, real and imaginary part, by itself"
    (found,) = checked("x*1j", {"x": "2."}).gradients
    assert found.grounds.outputs == "the real and the imaginary part of the output each by itself"


def test_a_large_output_is_projected(checked):
    (found,) = checked("sin(x)", {"x": "linspace(0,1,100)"}).gradients
    assert found.grounds.outputs == "3 random projections of the 100 elements of the output"


@pytest.mark.parametrize("elements", [1, 3])
def test_some_elements_are_chosen(checked, elements):
    (found,) = checked("sin(x).sum()", {"x": "[1.,2.,3.,4.,5.]"}, elements=elements).gradients
    assert f"those of {elements} elements of 5" in found.sentence


def test_a_kernel_with_single_constants_is_right_within_its_rounding(checked):
    """What i1e loses, 1.1e-7 of two summands of 0.4, is what float32 does to these."""
    (found,) = checked("special.i1e(x)", {"x": "[-0.5,1.2]"}).gradients
    assert found.verdict is Verdict.OK
    assert max(one.difference for one in found.grounds.elements) < 2e-7


@pytest.mark.parametrize(
    ("factor", "x", "verdict"),
    [
        ("(3 if grad.dtype == torch.float32 else 1)", "[0.3,1.7]", "WRONG"),
        ("(1.0005 if grad.dtype == torch.float32 else 1)", "[0.3,1.7]", "WRONG"),
        ("((1000 + x) - 1000) / x", "1e-3", "PRECISION"),
        ("((1000 + x) - 1000) / x", "0.3", "PRECISION"),
    ],
)
def test_only_what_rounding_explains_is_lost_precision(checked, off, factor, x, verdict):
    """The same part of the gradient off at all values is none of it."""
    (found,) = checked("off(x).sum()", {"x": x}, use=off(factor)).gradients
    assert found.verdict is Verdict(verdict)
