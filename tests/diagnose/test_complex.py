"""NaN and infinity in complex gradients: told in complex numbers, mended by what these have."""

import math

import pytest
import torch

from autograd_cli.explore import Options, explore


def found(source, options, *bindings):
    """The finding of a source that runs, and its report."""
    report = explore(source, list(bindings), options)
    (finding,) = (each for each in report.findings if each.code == "AGX502")
    return finding, report


def test_a_complex_division_by_zero():
    source = "(x/y).abs().sum()"
    finding, report = found(source, Options(const=("y",)), ("x", "[1+1j,2]"), ("y", "[1+0j,0]"))
    assert finding.sentence.endswith("has 1 NaN of 2 elements, the first at [1], where `x` is (2+0j).")
    (cause,) = finding.cause
    assert cause.endswith("at [1], where `x` is 2+0j and `y` is 0+0j: 2+0j / 0+0j")
    assert [fix.program for fix in finding.fix] == ["(x/where(y != 0, y, 1.)).abs().sum()"]
    assert report.status == 0


def test_a_real_const_divides_a_complex_leaf_by_zero():
    finding, _ = found("(x/n).abs().sum()", Options(const=("n",)), ("x", "[1+1j,2]"), ("n", "[1,0]"))
    assert [fix.program for fix in finding.fix] == ["(x/where(n != 0, n, 1.)).abs().sum()"]


def test_a_complex_product_is_told_in_numbers():
    finding, _ = found("asin(x)", Options(dtype="complex64"), ("x", "[-1.,0.5]"))
    assert "asin(x)  AsinBackward0: its operand `x` is -1+0j at [0]" in finding.cause
    assert finding.evidence["product"]["input"] == "-1+0j"
    assert [fix.program for fix in finding.fix] == ["asin(where(abs(x) < 1, x, 0.))"]


def test_a_complex_number_that_is_too_large_keeps_its_imaginary_part():
    finding, _ = found("(x*x*x*x).abs().log().sum()", Options(dtype="complex64"), ("x", "[1e15+1e15j,1]"))
    mended = finding.fix[0].program
    assert ".cdouble()" in mended
    x = torch.tensor([1e15 + 1e15j, 1], dtype=torch.complex64, requires_grad=True)
    value = eval(mended, {"x": x})
    value.backward()
    assert (value.item(), bool(x.grad.isfinite().all())) == (pytest.approx(math.log(4e60)), True)


def test_a_gradient_larger_than_a_size_can_be_is_finite():
    report = explore("(x*c).real", [("x", "1+1j"), ("c", "1.5e308+1.5e308j")], Options(dtype="complex128"))
    assert [each.code for each in report.findings] == []
