"""Rules of what repeats, joins, pads, writes and runs along elements, against autograd."""

from math import inf

import pytest
import torch

M, N, ROW = (2, 3), (3, 4), (3,)

MOVING = [
    ("x.fliplr()*y", M, M), ("flipud(x)*y", M, M), ("rot90(x)*y", M, (3, 2)), ("x.rot90(2)*y", M, M),
    ("rot90(x, -1, (1, 2))*y", (2, 3, 4), (2, 4, 3)), ("x.repeat(2)*y", ROW, (6,)),
    ("x.repeat(2, 3)*y", M, (4, 9)), ("x.repeat(2, 1)*y", ROW, M), ("x.repeat(4, 1, 2)*y", M, (4, 2, 6)),
    ("x.repeat(3)*y", (), ROW), ("x.repeat(2, 1)", M), ("tile(x, (2,))*y", M, (2, 6)),
    ("tile(x, (2, 2))*y", ROW, (2, 6)), ("x.repeat((1, 2))*y", M, (2, 6)), ("x.repeat(1, 1)*y", M, M),
    ("repeat_interleave(x, 2)*y", M, (12,)), ("x.repeat_interleave(3, 1)*y", M, (2, 9)),
    ("x.repeat_interleave(2, dim=0)*y", M, (4, 3)), ("x.repeat_interleave(tensor([1, 2, 0]), 1)*y", M, M),
    ("x.repeat_interleave(tensor([1, 2, 0]))*y", ROW, ROW), ("x.repeat_interleave(2)", ROW),
    ("hstack((x, y))*y.sum()", ROW, (2,)), ("hstack([x, y])**2", M, (2, 1)), ("vstack((x, y))**2", ROW, M),
    ("vstack((x, y))", (), (1,)), ("dstack((x, y))**2", M, M), ("dstack((x, y))**2", ROW, ROW),
    ("dstack((x, y))**2", (2, 3, 1), (2, 3, 2)), ("column_stack((x, y))**2", (2,), M),
    ("hstack((x, y))**2", (), (2,)), ("block_diag(x, y)**2", M, ROW), ("block_diag(x, y)**2", (), M),
    ("cartesian_prod(x, y)**2", ROW, (2,)), ("cartesian_prod(x, y)", ROW, (2,)),
    ("cartesian_prod(x)*y", ROW, ROW), ("combinations(x)**2", ROW), ("combinations(x, 2, True)**2", ROW),
    ("x.unfold(0, 2, 1)*y", ROW, (2, 2)), ("x.unfold(1, 2, 2)*y", N, (3, 2, 2)),
    ("x.unfold(0, 2, 1)*y", N, (2, 4, 2)), ("diag(x)*y", ROW, (3, 3)), ("diag(x, 1)*y", (3, 3), (2,)),
    ("x.diag()*y", (3, 3), ROW), ("diag(x, -1)*y", ROW, (4, 4)), ("x.diag()*y", M, (2,)),
    ("diag_embed(x)*y", M, (2, 3, 3)), ("diag_embed(x, 1)*y", ROW, (4, 4)), ("diagflat(x)*y", M, (6, 6)),
    ("diagflat(x, 1)*y", ROW, (4, 4)), ("x.sum_to_size(1, 3)*y", M, ROW), ("x.sum_to_size(3)*y", M, ROW),
    ("atleast_2d(x)*y", ROW, (1, 3)), ("atleast_3d(x)*y", M, (2, 3, 1)), ("F.pad(x, (1, 2))*y", M, (2, 6)),
    ("F.pad(x, (1, 1, 0, 2), value=3.0)*y", M, (4, 5)), ("F.pad(x, (-1, 1))*y", M, M),
    ("F.pad(x, (-1, 0))*y", ROW, (2,)), ("F.pad(x, (2, -1, -1, 0))*y", N, (2, 5)),
    ("F.pad(x, (0, 0, -1, -1))*y", N, (1, 4)), ("constant_pad_nd(x, (-1, 0))*y", M, (2, 2)),
    ("constant_pad_nd(x, (1, 0), 2.0)*y", M, (2, 4)), ("x.repeat(0, 2)", ROW),
    ("x.repeat_interleave(0)", ROW),
    ("F.pixel_shuffle(x, 2)*y", (1, 4, 2, 2), (1, 1, 4, 4)),
    ("F.pixel_unshuffle(x, 2)*y", (1, 1, 4, 4), (1, 4, 2, 2)),
    ("F.channel_shuffle(x, 2)*y", (1, 6, 2, 2), (1, 6, 2, 2)), ("fft.fftshift(x)*y", ROW, ROW),
    ("fft.ifftshift(x, 1)*y", M, M), ("F.unfold(x, 2)*y", (1, 2, 3, 3), (1, 8, 4)),
    ("F.fold(x, (3, 3), 2)*y", (1, 8, 4), (1, 2, 3, 3)), ("F.unfold(x, 2, stride=2)", (1, 1, 4, 4)),
    ("F.fold(x, (2, 2), 2, 1, 1)*y", (1, 4, 9), (1, 1, 2, 2)),
    ("F.fold(x, 3, 2, 2)*y", (1, 8, 1), (1, 2, 3, 3)),
    ("F.unfold(x, 2, padding=1, stride=3)*y", (1, 1, 3, 3), (1, 4, 4)),
    ("F.unfold(x, 2, stride=3)*y", (1, 1, 4, 4), (1, 4, 1)),
    ("F.dropout(x, training=False)*y", M, M), ("F.dropout(x, 0.0)*y", M, M), ("F.glu(x)*y", (2, 4), (2, 2)),
    ("F.glu(x, 0)*y", (4, 3), M), ("F.glu(x, 0)", (2,)),
]  # fmt: skip

INDICES = "tensor([[0, 2], [1, 1]])"
WRITING = [
    ("take(x, tensor([0, 4, 4]))*y", M, ROW), (f"take_along_dim(x, {INDICES}, 1)*y", M, (2, 2)),
    ("take_along_dim(x, tensor([5, 1]))*y", M, (2,)), ("x.masked_scatter(x > 0, y)*x", M, (6,)),
    (f"x.scatter(1, {INDICES}, 7.0)*y", M, M), ("x.scatter(1, tensor([[0, 2], [1, 0]]), y)*x", M, (2, 2)),
    (f"x.scatter_add(1, {INDICES}, y)**2", M, (2, 2)),
    (f"x.scatter_reduce(1, {INDICES}, y, 'sum')**2", M, (2, 2)),
    ("x.index_add(0, tensor([1, 1]), y)**2", M, M),
    ("x.index_add(1, tensor([0, 2]), y, alpha=3)**2", M, (2, 2)),
    ("x.index_copy(0, tensor([1]), y)**2", M, (1, 3)), ("x.index_fill(1, tensor([0]), 3.0)*y", M, M),
    ("x.index_fill(1, tensor([0, 2]), y)**2", M, ()), ("x.index_fill(1, tensor([2, 0, 2]), y)**2", M, ()),
    ("squeeze(x, [])**2", (1, 1)), ("cat([x, y], 1)**2", M, (0,)),
    ("x.index_put((tensor([0, 1]), tensor([1, 1])), y)**2", M, ()),
    ("x.index_put((tensor([1, 0]),), y)**2", M, M),
    ("x.index_put((tensor([1, 1]),), y, accumulate=True)**2", M, M),
    ("x.put(tensor([0, 4]), y)**2", M, (2,)), ("x.put(tensor([0, 0]), y, accumulate=True)**2", M, (2,)),
    ("fill(x, y)*x", M, ()), ("x.select_scatter(y, 1, 0)**2", M, (2,)),
    ("x.slice_scatter(y, 1, 1)**2", M, (2, 2)), ("slice_scatter(x, y, 0, 0, -1)**2", N, (2, 4)),
    ("x.diagonal_scatter(y)**2", (3, 3), ROW), ("x.diagonal_scatter(y, 1)*x", (3, 3), (2,)),
    ("x.select_scatter(y*2, 1, 0).sum()", M, (2,)),
]  # fmt: skip

RUNNING = [
    ("cumprod(x, 1)*y", M, M), ("x.cumprod(0)*y", M, M), ("x.cumprod(0).sum()", ROW),
    ("x.cumprod(1)*y", (2, 3, 4), (4,)), ("cumprod(x, 0)*y", (), ()), ("logcumsumexp(x, 1)*y", M, M),
    ("x.logcumsumexp(0)", ROW), ("nansum(x)*y", M, ()), ("nansum(x, 1)*y", M, (2,)),
    ("x.nanmean(1, keepdim=True)*y", M, (2, 1)), ("nanmean(x)", M), ("x.nanmean(0)*y", M, ROW),
    ("diff(x)*y", M, (2, 2)), ("x.diff(dim=0)*y", M, (1, 3)), ("x.diff(2)*y", N, (3, 2)), ("diff(x)", ROW),
    ("diff(x, 2, 0)*y", (4, 2), (2, 2)), ("trapezoid(x)*y", M, (2,)), ("trapezoid(x, dx=0.5)", ROW),
    ("trapezoid(x, tensor([0.0, 1.0, 3.0]))*y", M, (2,)), ("trapezoid(x, dim=0)*y", M, ROW),
    ("cov(x)*y", M, (2, 2)), ("cov(x, correction=0)", M), ("dist(x, y)", M, M), ("dist(x, y, 1)", M, ROW),
    ("dist(x, y, inf)", M, M), ("norm(x, inf)*y", M, ()), ("norm(x, -inf)", M),
    ("x.norm(inf, 1)*y", M, (2,)), ("norm(x, 0)", M), ("norm(x, 0.5)", M),
    ("linalg.vector_norm(x, -1.5)", M), ("linalg.vector_norm(x, inf, dim=0, keepdim=True)*y", M, M),
]  # fmt: skip


@pytest.mark.parametrize("case", MOVING + WRITING + RUNNING, ids=lambda case: " ".join(map(str, case)))
def test_rule_agrees_with_autograd(derive, case):
    agree(derive, *case)


@pytest.mark.parametrize("form", ["{}", "({}).sum()*3"])
@pytest.mark.parametrize("case", MOVING + WRITING + RUNNING, ids=lambda case: " ".join(map(str, case)))
def test_of_a_cotangent_that_is_the_same_everywhere(derive, case, form):
    source = case[0].removesuffix("*y").removesuffix("**2")
    assert "x" in source
    agree(derive, form.format(source), *case[1:])


def agree(derive, source, *shapes):
    torch.manual_seed(1)
    values = {name: torch.randn(shape) for name, shape in zip("xy", shapes, strict=False) if name in source}
    for name, found in derive(source, **values).items():
        assert found.agrees, (name, found.text, found.derivative.reason, found.value, found.gradient)


@pytest.mark.parametrize(
    "source", ["cumprod(x, 0)", "cumprod(x, 0)[2]", "norm(x, 0.5)", "norm(x, 1)", "nansum(x)"]
)
def test_at_zeros_and_nan(derive, source):
    for x in [2.0, 0.0, 3.0, 4.0], [0.0, 1.0, 0.0, 2.0]:
        found = derive(source, x=x)["x"]
        assert found.agrees, (found.text, found.value, found.gradient)
    found = derive("nansum(x)/y", x=[float("nan"), 1.0], y=0.0)["x"]
    assert found.agrees, (found.text, found.value, found.gradient)
    assert derive("nanmean(x)", x=[float("nan"), 1.0, 3.0])["x"].agrees


@pytest.mark.parametrize(
    "x", [[1000.0, 1001.0], [-1000.0, 0.0, 1000.0], [900.0, -900.0, -901.0], [0.0, -inf, 1.0]]
)
@pytest.mark.parametrize(
    "source", ["logcumsumexp(x, 0)", "logcumsumexp(x, 0)[1]*3", "logcumsumexp(x, 0)@x.detach().sign()"]
)
def test_a_running_logarithm_of_numbers_whose_exponentials_overflow(derive, source, x):
    found = derive(source, x=x)["x"]
    assert found.value.isfinite().all()
    assert found.agrees, (found.text, found.value, found.gradient)


@pytest.mark.parametrize("source", ["x.unfold(0, 1, 1)", "unfold_copy(x, 0, 1, 1)"])
def test_a_number_unfolded_says_that_it_has_no_rule(derive, source):
    found = derive(source, x=2.0)["x"]
    assert found.derivative.reason == "unfold of a single number has no derivative rule"


GOLDEN = [
    ("x.repeat(3, 1).sin().sum()", [1.0, 2.0], "cos(x.repeat(3, 1)).sum(0)"),
    ("x.repeat(2)@y", [1.0, 2.0], "y.reshape(2, 2).sum(0)"),
    ("F.pad(x, (1, 1))@y", [1.0, 2.0], "F.pad(y, (-1, -1))"), ("diag(x).sum()", [1.0, 2.0], "ones_like(x)"),
    ("x.scatter(0, tensor([1]), 5.0)@y[:2]", [1.0, 2.0], "y[:2].scatter(0, tensor([1]), 0)"),
    ("cumsum(x, 0).sum()", [1.0, 2.0], "ones(2).flip(0).cumsum(0).flip(0)"),
    ("diff(x)@tensor([1.0])", [1.0, 2.0], "-F.pad(tensor([1.0]), (1, 1)).diff()"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "x", "text"), GOLDEN)
def test_formulas(derive, source, x, text):
    found = derive(source, x=x, y=[1.0, 2.0, 3.0, 4.0])["x"]
    assert found.text == text
    assert found.agrees
