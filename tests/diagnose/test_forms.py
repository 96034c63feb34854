"""Each better form is the same number and has the same gradient as its pattern, in float64."""

import pytest
import torch

from autograd_cli.diagnose.numerics.forms import FORMS, Form
from autograd_cli.explore import explore
from autograd_cli.lang.source import Source

RANGES = ((2.0, 3.0), (0.3, 0.8), (-0.8, -0.3))


def operands(form: Form, low: float, high: float) -> dict[str, torch.Tensor]:
    """Operands within a range; those of losses as these want them."""
    torch.manual_seed(0)
    a = (low + (high - low) * torch.rand(3, 5, dtype=torch.float64)).requires_grad_()
    b, c = (0.1 + 0.2 * torch.rand(3, 5, dtype=torch.float64) for _ in range(2))
    if "binary_cross_entropy" in form.pattern:
        b = (b > 0.2).double()
    return {"A": a, "B": torch.tensor([0, 1, 2]) if "nll_loss" in form.pattern else b, "C": c}


def value(text: str, given: dict[str, torch.Tensor]) -> torch.Tensor:
    """A text of the table evaluated, over the first dim where there is one to say."""
    names = {**vars(torch), "F": torch.nn.functional, **given}
    made: torch.Tensor = eval(text.replace("REST", "dim=1" if "nll_loss" in text else "dim=0"), names)
    return made


def slope(made: torch.Tensor, leaf: torch.Tensor) -> torch.Tensor:
    """The gradient of a leaf; 0 where it takes no part."""
    if not made.requires_grad:
        return torch.zeros_like(leaf)
    (found,) = torch.autograd.grad(made.sum(), leaf, retain_graph=True, allow_unused=True)
    return torch.zeros_like(leaf) if found is None else found


@pytest.mark.parametrize("form", FORMS, ids=[form.pattern for form in FORMS])
def test_a_form_is_equal_on_paper(form):
    known = 0
    for low, high in RANGES:
        given = operands(form, low, high)
        one, other = (value(text, given) for text in (form.pattern, form.better))
        if not bool(one.isfinite().all()):
            continue
        known += 1
        assert torch.allclose(one, other, rtol=1e-8, atol=1e-12)
        wanted, got = (slope(each, given["A"]) for each in (one, other))
        assert torch.allclose(wanted, got, rtol=1e-6, atol=1e-9)
    assert known


@pytest.mark.parametrize(
    ("source", "better"),
    [
        ("(exp(x)/exp(x).sum(1, keepdim=True))[0,0]", "(softmax(x, dim=1))[0,0]"),
        ("(exp(x)/exp(x).sum(0))[0,0]", "(softmax(x, dim=0))[0,0]"),
        ("log(exp(x).sum(-1)).sum()", "logsumexp(x, dim=-1).sum()"),
    ],
)
def test_a_dim_is_written_as_the_better_form_wants_it(source, better):
    (finding,) = explore(Source(source), [("x", "[[1000.,1.],[2.,3.]]")]).findings
    assert finding.fix[0].program == better


def test_a_sum_that_meets_other_elements_than_its_own_is_no_softmax():
    (finding,) = explore(Source("(exp(x)/exp(x).sum(1))[0,0]"), [("x", "[[1000.,1.],[2.,3.]]")]).findings
    assert not any("softmax" in fix.program for fix in finding.fix)
