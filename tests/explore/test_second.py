"""The second derivative in reports: when it is there, of what, and what it does to the status."""

import pytest

from autograd_cli.gradients.second import check
from autograd_cli.report import Verdict


def test_without_being_asked_there_is_none(explored, monkeypatch):
    monkeypatch.setattr(check, "second", lambda *_: pytest.fail("nobody asked for it"))
    assert explored("sin(x**2)", ("x", "2.")).second is None


def test_an_expression_has_its_own(explored):
    report = explored("sin(x**2)", ("x", "2."), order=2)
    (block,) = report.second.blocks
    assert (report.status, block.verdict, report.second.of) == (0, Verdict.OK, "")
    assert block.autograd == pytest.approx(10.801553, abs=1e-5)


def test_a_cotangent_weighs_it(explored):
    report = explored("x**3", ("x", "[1.,2.]"), order=2, grad_output="[1.,-1.]")
    assert report.second.of == "its sum weighed with the cotangent"
    assert report.second.blocks[0].autograd == ((6.0, 0.0), (0.0, -12.0))


def test_a_program_has_that_of_its_root(explored):
    source = "y = x**3; y.backward(); z = x**4; z.backward()"
    last = explored(source, ("x", "2."), order=2)
    assert (last.root, last.second.blocks[0].autograd) == ("z", 48.0)
    first = explored(source, ("x", "2."), order=2, root="y")
    assert first.second.blocks[0].autograd == 12.0


def test_a_program_s_own_cotangent_weighs_it(explored):
    source = "y = x**3; y.backward(torch.tensor([1., -1.]))"
    assert explored(source, ("x", "[1.,2.]"), order=2).second.blocks[0].autograd == ((6.0, 0.0), (0.0, -12.0))


def test_a_gradient_in_the_source_is_of_third_order_then(explored):
    source = "g, = torch.autograd.grad((x**4).sum(), x, create_graph=True); g.sum().backward()"
    report = explored(source, ("x", "[1.,2.]"), order=2)
    (block,) = report.second.blocks
    assert block.autograd == ((24.0, 0.0), (0.0, 48.0))
    assert block.verdict is Verdict.OK


@pytest.mark.parametrize("check", [False, True])
def test_where_torch_has_none_the_status_says_so(explored, check):
    report = explored("sum(cdist(x, y)**2)", ("x", "randn(3,2)"), ("y", "randn(2,2)"), order=2, check=check)
    assert report.status == 1
    assert report.findings[0].code == "AGX425"


def test_a_kink_is_strictly_no_second_derivative(explored):
    assert explored("relu(x)", ("x", "0."), order=2, check=True).status == 0
    assert explored("relu(x)", ("x", "0."), order=2, check=True, strict=True).status == 1


def test_a_backward_that_failed_has_none(explored):
    report = explored("y = x*2; y.backward()", ("x", "[1.,2.]"), order=2)
    assert (report.status, report.second) == (1, None)


def test_without_a_graph_the_reason_stands(explored):
    report = explored("x.detach()*2", ("x", "2."), order=2)
    assert report.second.sentence == "the output has no graph, so no backward can start from it"


def test_on_meta_there_are_no_values(explored):
    report = explored("x*2", ("x", "2."), order=2, device="meta")
    assert report.second.sentence == "meta tensors have no values"


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(
    ("source", "given", "pairs"),
    [
        ("(z*z).abs().sum()", {"z": "tensor([1+2j])"}, []),
        ("(z*z).abs().sum()*y**3", {"z": "tensor([1+2j])", "y": "2."}, [("y", "y")]),
        ("(z*z).sum()", {"z": "zeros(0)"}, [("z", "z")]),
    ],
)
def test_what_is_not_done_or_empty_is_no_failure(explored, check, source, given, pairs):
    report = explored(source, *given.items(), order=2, check=check)
    assert (report.status, [block.pair for block in report.second.blocks]) == (0, pairs)
    assert ("z is complex: not done" in report.second.sentence) == ("1+2j" in given["z"])
    assert all(block.verdict is Verdict.OK for block in report.second.blocks)
