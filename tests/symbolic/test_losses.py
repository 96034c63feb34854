"""Losses with weights, smoothing and every reduction, and max pooling, against autograd."""

import pytest
import torch

M = (2, 3)

LOSSES = [
    ("F.binary_cross_entropy_with_logits(x, y.sigmoid(), pos_weight=W)", "x"),
    ("F.binary_cross_entropy_with_logits(x, y.sigmoid().detach(), pos_weight=W)", ""),
    ("F.binary_cross_entropy_with_logits(x, y.sigmoid(), W)", ""),
    ("F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), weight=W)", ""), ("F.poisson_nll_loss(x, y)", ""),
    ("F.poisson_nll_loss(x.exp(), y, log_input=False)", ""), ("F.gaussian_nll_loss(x, y, exp(z))", ""),
    ("F.gaussian_nll_loss(x, y, z.abs()/1e6, eps=1e-7)", ""),
    ("F.gaussian_nll_loss(x, y, exp(z), reduction='sum')", ""), ("F.gaussian_nll_loss(x, y, 0.4)", ""),
    ("F.kl_div(x, y.exp())", ""), ("F.kl_div(x, y, log_target=True, reduction='batchmean')", ""),
    ("F.hinge_embedding_loss(x, sign(z).detach())", ""),
    ("F.hinge_embedding_loss(x, sign(z).detach(), 0.3)", ""),
    ("F.hinge_embedding_loss(x, (z*0).detach())", ""), ("F.margin_ranking_loss(x, y, sign(z).detach())", ""),
    ("F.margin_ranking_loss(x, y, sign(z).detach(), 0.5, reduction='none')", ""),
    ("F.multilabel_soft_margin_loss(x, (y > 0)*1.0)", ""),
    ("F.multilabel_soft_margin_loss(x, (y > 0)*1.0, reduction='none')", ""),
    ("F.multilabel_soft_margin_loss(x, (y > 0)*1.0, 3)", ""),
    ("F.cross_entropy(x, t, weight=W)", ""), ("F.cross_entropy(x, t, W, reduction='sum')", ""),
    ("F.cross_entropy(x, t, W, reduction='none')", ""), ("F.cross_entropy(x, t, label_smoothing=0.1)", ""),
    ("F.nll_loss(log_softmax(x, 1), t, W)", ""), ("F.cross_entropy(x.reshape(1, 3, 2), t[None])", ""),
    ("F.cross_entropy(x.reshape(1, 3, 2), t[None], reduction='none')", ""),
    ("F.nll_loss(x.reshape(1, 3, 2), t[None], reduction='sum')", ""), ("F.cross_entropy(x[0], t[0])", ""),
    ("F.cross_entropy(x, t, ignore_index=2)", ""), ("F.cross_entropy(x, t, W, ignore_index=0)", ""),
    ("F.nll_loss(x, t, W, ignore_index=2, reduction='none')", ""),
    ("F.nll_loss(x, t, ignore_index=0, reduction='sum')", ""), ("F.cross_entropy(x, t, ignore_index=1)", ""),
    ("F.nll_loss(x.reshape(1, 3, 2), t[None], ignore_index=2)", ""),
]  # fmt: skip


@pytest.mark.parametrize(("source", "without"), LOSSES)
def test_loss_agrees_with_autograd(derive, source, without):
    torch.manual_seed(2)
    names = {name: torch.randn(M) for name in "xyz"}
    fixed = {"t": torch.tensor([2, 0])}
    found = derive(source.replace("W", "tensor([0.5, 1.0, 2.0])"), **names, **fixed)
    for name, one in found.items():
        if not one.derivative.formula and without:
            assert one.derivative.reason.endswith("by its input only")
        else:
            assert one.agrees, (name, one.text, one.derivative.reason, one.value, one.gradient)


POOLS = [
    ("F.max_pool1d(x, 2)*y", (1, 2, 6), (1, 2, 3)), ("F.max_pool2d(x, 2)*y", (2, 1, 4, 4), (2, 1, 2, 2)),
    ("F.max_pool2d(x, 2)*y", (1, 1, 5, 4), (1, 1, 2, 2)),
    ("F.max_pool2d(x, (2, 1), (3, 2))*y", (1, 1, 5, 4), (2,)),
    ("F.max_pool3d(x, 2)", (1, 1, 2, 4, 2)), ("F.max_pool2d(x, kernel_size=2, stride=2)**2", (1, 4, 4)),
]  # fmt: skip


@pytest.mark.parametrize("case", POOLS, ids=str)
def test_max_pool_agrees_with_autograd(derive, case):
    source, *shapes = case
    torch.manual_seed(2)
    for name, found in derive(source, **dict(zip("xy", map(torch.randn, shapes), strict=False))).items():
        assert found.agrees, (name, found.text, found.derivative.reason)


def test_windows_that_overlap_have_no_formula(derive):
    found = derive("F.max_pool1d(x, 2, 1)", x=torch.ones(1, 1, 4))["x"]
    assert (
        found.derivative.reason == "max_pool1d has a derivative rule where its windows lie side by side only"
    )
