import pytest
from torch import ones, randn, tensor, zeros

from autograd_cli.diagnose.nonfinite import Bad, at, bad
from autograd_cli.report import Summary

NAN, INF = float("nan"), float("inf")
SQRT = "nan-grad-sqrt-at-zero"
TRAP = "0 × inf is no 0 but NaN"
NONE_KNOWN = "no rewrite is known that makes it finite and leaves the other elements as they are"


def test_what_is_not_finite_is_counted_and_placed():
    assert bad(((0.0, 1.0), (NAN, INF))) == Bad(1, 1, 4, (1, 0))
    assert bad(complex(0, NAN)) == Bad(1, 0, 1, ())
    assert bad(Summary(2000, 0.0, 1.0, 3, 0)) == Bad(3, 0, 2000, None)
    assert bad(((0.0, 1.0),)) is None
    assert bad(None) is None


def test_a_number_is_found_by_its_index():
    assert at(((0.0, 1.0), (2.0, 3.0)), (1, 0)) == 2.0
    assert at(5.0, (1, 0)) == 5.0
    assert at((1.0, 2.0), (0, 0)) is None
    assert at((1.0, 2.0), ()) is None


def test_a_masked_branch_is_explained_as_its_product_and_mended(said, works):
    values = {"x": tensor([1.0, 0.0, 4.0])}
    (finding,) = said("where(x>0, sqrt(x), 0*x).sum()", **values)
    assert (finding.code, finding.name, finding.severity) == ("AGX502", "nan-grad-masked-branch", "warning")
    assert (
        finding.sentence == "The gradient of `x` has 1 NaN of 3 elements, the first at [1], where `x` is 0."
    )
    assert finding.cause == (
        "sqrt(x)  SqrtBackward0: its operand `x` is 0 at [1]",
        "sqrt(x)  arriving 0 × local factor inf = nan",
        "0 arrives since `where(x>0, sqrt(x), 0*x)` takes its other branch there, and " + TRAP,
    )
    assert finding.fix[0].program == "where(x>0, sqrt(where(x>0, x, 1.)), 0*x).sum()"
    assert finding.fix[0].text == (
        "where the branch is not taken, its operand is 1 instead: the same value, "
        "every element of the gradient is finite, the other 2 are as before"
    )
    works(finding, **values)


def test_the_other_branch_is_mended_the_other_way_round(said, works):
    values = {"x": tensor([0.0, 1.0]), "y": ones(2)}
    (finding,) = said("where(x==0, 0*y, y/x).sum()", **values)
    assert finding.name == "nan-grad-masked-branch"
    assert finding.fix[0].program == "where(x==0, 0*y, y/where(x==0, 1., x)).sum()"
    assert finding.cause[-2:] == (
        "The gradient of `y` has 1 NaN of 2 elements, the first at [0], where `y` is 1",
        "y/x  arriving 0 × local factor inf = nan",
    )
    works(finding, **values)


@pytest.mark.parametrize(
    ("source", "x", "name", "where", "product"),
    [
        ("sqrt(x).sum()", [0.0, 4.0], SQRT, "sqrt(x)", "arriving 1 × local factor inf = inf"),
        ("(x**0.5).sum()", [0.0, 4.0], SQRT, "x**0.5", "arriving 1 × local factor inf = inf"),
        ("sqrt((x**2).sum())", [0.0], SQRT, "sqrt((x**2).sum())", "arriving 1 × local factor inf = inf"),
        ("(log(x)*0).sum()", [0.0], "nan-grad-log-at-zero", "log(x)", "arriving 0 × local factor inf = nan"),
        ("(1/x).sum()", [0.0, 1.0], "nan-gradient", "1/x", "arriving 1 × local factor -inf = -inf"),
        ("(x/x.norm()).sum()", [0.0, 0.0], "nan-gradient", "x/x.norm()", None),
        ("(x**400).sum()", [10.0, 2.0], "value-overflow", "x**400", "arriving 1 × local factor inf = inf"),
        ("(exp(x)/exp(x).sum()).max()", [100.0, 1.0], "value-overflow", "exp(x)", None),
        ("(x**0.5).sum()", [-1.0, 4.0], "nan-gradient", "x**0.5", None),
        ("(x*inf).sum()*0", [1.0, 2.0], "nan-gradient", "(x*inf).sum()*0", None),
    ],
)
def test_the_node_where_it_arises_is_named(said, source, x, name, where, product):
    (finding,) = said(source, x=tensor(x))
    assert (finding.code, finding.name) == ("AGX502", name)
    assert source[slice(*finding.span)] == where
    if product is not None:
        assert f"{where}  {product}" in finding.cause


def test_a_value_that_is_not_finite_either_is_said(said):
    (finding,) = said("log(x)*0", x=tensor(0.0))
    assert finding.sentence == "The gradient of `x` is NaN, where `x` is 0."
    assert finding.cause[0] == "the value of `log(x)` is -inf, where `x` is 0"


def test_an_overflow_is_told_by_its_number_and_what_holds_it(said):
    (finding,) = said("(x**400).sum()", x=tensor([1.0, 10.0]))
    assert finding.cause[0] == "the value of `x**400` is inf at [1], where `x` is 10: float32 ends at 3.4e+38"
    assert "float64" not in finding.fix[0].text
    assert finding.cause[-1] == NONE_KNOWN
    (finding,) = said("(x**40).sum()", x=tensor([1.0, 1000.0]))
    assert finding.fix[0].text.endswith("or compute in float64, which holds it")


def test_one_element_among_many_is_found_though_the_report_has_a_summary(said):
    x = randn(2000).abs() + 1
    x[417] = 0
    (finding,) = said("where(x>0, sqrt(x), 0*x).sum()", x=x)
    assert finding.sentence == (
        "The gradient of `x` has 1 NaN of 2000 elements, the first at [417], where `x` is 0."
    )


@pytest.mark.parametrize(
    "source", ["x.norm()", "sqrt(x + 1).sum()", "where(x>0, x, 0*x).sum()", "relu(x).sum()"]
)
def test_finite_gradients_are_silent(said, source):
    assert said(source, x=zeros(2)) == ()


@pytest.mark.parametrize(
    ("source", "values", "factor"),
    [
        ("x.clone().div_(nan)", {"x": tensor([1.5, -0.3])}, "arriving 1 × local factor nan = nan"),
        ("exp2_(x.clone())", {"x": tensor([1e9, 1e9])}, "arriving 1 × local factor inf = inf"),
        ("x.clone().log_().sqrt_()", {"x": tensor([1.0])}, "arriving 1 × local factor inf = inf"),
        (
            "(x.clone().sqrt() * 2).mul_(y)",
            {"x": zeros(1), "y": ones(1)},
            "arriving 2 × local factor inf = inf",
        ),
        (
            "x.clone().double().float_power_(y)",
            {"x": tensor([3.0]), "y": tensor([2**62])},
            "arriving 1 × local factor inf = inf",
        ),
    ],
)
def test_a_step_that_writes_in_place_is_asked_on_copies(said, source, values, factor):
    (finding,) = [each for each in said(source, **values) if each.code == "AGX502"]
    assert any(line.endswith(factor) for line in finding.cause)


def test_a_product_that_torch_does_not_take_alone_has_no_factor(said):
    findings = said("(sqrt(x)*1j*x).abs()", x=zeros(1))
    assert "AGX502" in {each.code for each in findings}
