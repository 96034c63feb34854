import pytest
import torch
from torch import ones, tensor

from autograd_cli.diagnose import outputs


def torch_says(call):
    with pytest.raises(RuntimeError, match=r".") as caught:
        call()
    return str(caught.value)


def test_what_is_quoted_is_what_torch_says():
    x = ones(3, requires_grad=True)
    z = torch.tensor(1j, requires_grad=True)
    assert torch_says(lambda: (x * 2).backward()) == outputs.NOT_SCALAR
    assert torch_says(lambda: ones(()).backward()) == outputs.NO_GRAPH
    assert torch_says(lambda: (z * 2).backward()) == outputs.NOT_REAL.format(torch.complex64)


def test_several_elements_go_on_with_ones(said, works):
    (finding,) = said("x*2", x=ones(3))
    assert (finding.code, finding.name, finding.severity) == ("AGX401", "nonscalar-loss-backward", "note")
    assert finding.sentence == (
        "`x*2` (3,) has 3 elements, not one; backward goes on from ones, so each gradient is that of the sum."
    )
    assert finding.torch == "grad can be implicitly created only for scalar outputs"
    assert finding.fix[0].program == "(x*2).sum()"
    assert '-g "[1.,1.,1.]"' in finding.fix[1].text
    works(finding, x=ones(3))


@pytest.mark.parametrize("source", ["(x*2).sum()", "(x*2).sum(0, keepdim=True)"])
def test_one_element_is_a_scalar_to_torch_whatever_its_shape(said, source):
    assert said(source, x=ones(3)) == ()


def test_a_complex_output_has_no_lower_loss(said, works):
    (finding,) = said("z**2", z=tensor(1 + 2j))
    assert (finding.code, finding.name) == ("AGX405", "complex-loss-backward")
    assert (
        finding.torch == "grad can be implicitly created only for real scalar outputs but got torch.complex64"
    )
    assert [fix.program for fix in finding.fix] == ["(z**2).abs().sum()", "(z**2).real.sum()"]
    works(finding, z=tensor(1 + 2j))


def test_a_real_output_of_complex_bindings_is_silent(said):
    assert said("z.abs()", z=tensor(1 + 2j)) == ()


def test_nothing_that_requires_grad_says_why_for_each_name(said):
    (finding,) = said("sum(i**2) + n", i=tensor([1, 2]), n=3)
    assert (finding.code, finding.name, finding.severity) == ("AGX402", "loss-has-no-grad-path", "warning")
    assert finding.sentence == "Nothing here requires grad: `sum(i**2) + n` has no graph and no gradient."
    assert finding.torch == "element 0 of tensors does not require grad and does not have a grad_fn"
    assert finding.cause == ("i  int64  whole numbers have no gradient", "n  int    held constant")


def test_arithmetic_of_bits_is_not_meant_to_have_a_gradient(said):
    assert said("i & 3", i=tensor([1, 2])) == ()


def test_a_source_without_bindings_has_nothing_to_differentiate(said):
    assert said("ones(3)") == ()


def test_several_results_need_a_choice(said, works):
    (finding,) = said("max(x, 0)", x=ones(2))
    assert (finding.code, finding.name) == ("AGX312", "not-a-tensor-result")
    assert finding.sentence == "`max(x, 0)` gives 2 values, and a gradient is of one: the first is taken."
    works(finding, x=ones(2))


def test_the_sum_of_the_first_of_several_results_is_written_so(said, works):
    nonscalar, several = said("max(x, 0)", x=ones(2, 2))
    assert (nonscalar.code, several.code) == ("AGX401", "AGX312")
    assert nonscalar.fix[0].program == "((max(x, 0))[0]).sum()"
    works(nonscalar, x=ones(2, 2))


def test_a_python_value_has_no_graph(said):
    (finding,) = said("2 + 3")
    assert finding.sentence == "`2 + 3` is a Python int, 5: it has no graph."


def test_one_of_several_results_is_silent(said):
    assert said("max(x, 0).values.sum()", x=ones(2, 2)) == ()
