"""The product that is shown is the one that made the NaN, for the leaf and the element of the sentence."""

import pytest

from tests.diagnose.nan import found

ZERO_BY_INF = "arriving {} × local factor {} = nan"


@pytest.mark.parametrize(
    ("source", "bindings", "sentence", "product"),
    [
        (
            "(q*log10(q)).sum()",
            {"q": "[.25,0.,.75]"},
            "`q` has 1 NaN of 3 elements, the first at [1], where `q` is 0",
            "log10(q)  arriving 0 × local factor inf = nan",
        ),
        (
            "(2*q*q.log()).mean()",
            {"q": "[1.,0.]"},
            "`q` has 1 NaN of 2 elements, the first at [1], where `q` is 0",
            "q.log()  arriving 0 × local factor inf = nan",
        ),
        (
            "(b*(a/0.)).sum()",
            {"a": "[3.,2.,1.]", "b": "[1.,1.,0.]"},
            "`a` has 1 NaN and 2 infinite of 3 elements, NaN at [2], where `a` is 1",
            "a/0.  arriving 0 × local factor inf = nan",
        ),
    ],
)
def test_the_product_of_0_and_infinity_is_told_beside_a_product_that_is_infinite(
    source, bindings, sentence, product
):
    finding = found(source, *bindings.items())
    assert finding.sentence == f"The gradient of {sentence}."
    assert product in finding.cause
    assert not [line for line in finding.cause if line.endswith("= inf")]


@pytest.mark.parametrize(
    ("source", "first", "sentence", "product"),
    [
        (
            "(a*exp(b)).sum()",
            "[2.,0.]",
            "`b` has 1 NaN and 1 infinite",
            "exp(b)  arriving 0 × local factor inf",
        ),
        ("(a/b).sum()", "[0.]", "`b` is NaN", None),
        ("(a*(1/b)).sum()", "[0.]", "`b` is NaN", "1/b  arriving 0 × local factor -inf"),
    ],
)
def test_the_product_of_another_leaf_stands_under_its_own_sentence(source, first, sentence, product):
    second = "[900.,800.]" if "exp" in source else "[0.]"
    lines = found(source, ("a", first), ("b", second)).cause
    (place,) = [i for i, line in enumerate(lines) if line.startswith(f"The gradient of {sentence}")]
    below = [line for line in lines[place + 1 :] if "arriving" in line]
    assert below == ([f"{product} = nan"] if product else [])


def test_each_leaf_is_told_by_its_own_row():
    lines = found("(u**2 + v**2)**.5", ("u", "0."), ("v", "0.")).cause
    place = lines.index("The gradient of `v` is NaN, where `v` is 0")
    assert "u**2  arriving inf × local factor 0 = nan" in lines[:place]
    assert "v**2  arriving inf × local factor 0 = nan" in lines[place:]


def test_a_vector_by_its_norm_is_0_by_0():
    finding = found("(v/v.norm()).sum()", ("v", "[0.,0.]"))
    assert finding.cause[0].endswith("where `v` is 0 and `v.norm()` is 0: 0 / 0")
    assert not [line for line in finding.cause if "= inf" in line]


def test_a_rewrite_that_gives_another_value_says_which():
    finding = found("q.log().clamp(min=-60).sum()", ("q", "[0.,2.]"))
    assert ": the value is then -26.93787, not -59.30685, every element" in finding.fix[0].text
    finding = found("q.log().clamp(min=-60)", ("q", "[0.,2.]"))
    assert ": the value is another at 1 of 2 elements, every element" in finding.fix[0].text


def test_what_is_the_same_number_leaves_no_rewrite_that_is_another():
    finding = found("log(exp(z).sum(1))", ("z", "[[500.,501.],[-300.,-302.]]"))
    assert [fix.text.split(":")[0] for fix in finding.fix] == ["logsumexp(z, dim=1) is the same number"]
