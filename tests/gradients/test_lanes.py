"""Several points in one evaluation: each lane holds what the replay gives at its point."""

import pytest
import torch

from autograd_cli.gradients.lane_rules import NoLanesError
from autograd_cli.gradients.lanes import Lanes
from autograd_cli.gradients.line import Line
from autograd_cli.gradients.replay import Replay
from autograd_cli.report import Verdict

V, M, T = "[0.3,-1.2,2.]", "[[0.3,-1.2,2.],[1.5,0.7,-0.4]]", "randn(2,3,4)"
LANES = 5

SOURCES = [
    ("sin(x)*2 + x**3", "0.7"),
    ("x*x.exp() - 2**x", V),
    ("x + ones(2,3)", V),
    ("x * ones(4,2,3) / M", M),
    ("ones(2,3)*x", "1.5"),
    ("x*M + v", "1.5"),
    ("relu(x) + F.softplus(x) + F.gelu(x)", V),
    ("where(M > 0, x, x**2)", V),
    ("x.sum()", V),
    ("x.sum()*x", "2."),
    ("mean(x)", M),
    ("x.sum(0) + x.sum(dim=-2)", M),
    ("x.sum(1, True) * x.mean((0, 1))", M),
    ("x.sum(axis=1)", M),
    ("x.prod()", M),
    ("x.prod(1)", M),
    ("x.amax() + x.amin(0).sum()", M),
    ("x.var() + x.std(1).sum() + x.var(0, False).sum()", M),
    ("x.max() + x.min()", M),
    ("x.max(1).values", M),
    ("x.max(0)[0]", M),
    ("norm(x) + x.norm(1)", M),
    ("softmax(x, 1) + log_softmax(x, dim=0)", M),
    ("F.softmax(x, -1)", V),
    ("logsumexp(x, 0) + logsumexp(x, (0, 1))", M),
    ("cumsum(x, 0)*cumprod(x, 1)", M),
    ("x @ v", V),
    ("v @ x", V),
    ("x @ x", V),
    ("M @ x", V),
    ("x @ M.T", V),
    ("x @ N", V),
    ("N.mT @ x", V),
    ("x @ v", M),
    ("x @ M.T", M),
    ("M @ x.T", M),
    ("x.T @ x", M),
    ("x @ N", M),
    ("N @ x.T", "randn(2,4)"),
    ("v[:2] @ x", M),
    ("x @ N[0].sum(0)", T),
    ("x @ N.mT", T),
    ("x.mT @ x", T),
    ("(x.sum(0)[:, 0]) @ x", T),
    ("x @ x[0, 0]", T),
    ("mm(x, M.T) + mv(x, v).sum() + dot(x[0], v)", M),
    ("bmm(x, x.mT)", T),
    ("F.linear(x, M)", M),
    ("F.linear(M, x)", M),
    ("x.reshape(3, -1)*x.view(3, 2)", M),
    ("x.reshape((6,)).flatten() + x.ravel()", M),
    ("x.flatten(1)", T),
    ("x.T*2 + x.t()", M),
    ("x.T", V),
    ("x.transpose(0, -1) + x.permute(2, 1, 0)", T),
    ("x.unsqueeze(0)*x.unsqueeze(-1)", V),
    ("x[0] + x[-1]", M),
    ("x[:, 1:]*x[..., 0, None]", M),
    ("x[M > 0]", M),
    ("x[[1, 0]]", M),
    ("x[0, [2, 1]] + x[[0, 1], [1, 2]]", M),
    ("x[:, 0, [1, 2]].sum() + x[0, :, [1, 2]]", T),
    ("cat([x, M, 2*x], 1)", M),
    ("stack([x, v, x*x], dim=-1)", V),
    ("cat([v, x])", V),
    ("flip(x, [0]) + roll(x, 1, 0)", V),
    ("split(x, 2)[1]", V),
    ("squeeze(x)*2", "[[1.,2.]]"),
    ("diagonal(x.T @ x).sum() + trace(x @ x.T)", M),
    ("einsum('ij,kj->ik', x, M)", M),
    ("linalg.inv(x.T @ x + eye(3))", M),
    ("F.mse_loss(x, M*2)", M),
    ("F.cross_entropy(x, tensor([1,0]))", M),
    ("F.layer_norm(x, [3])", M),
    ("F.conv1d(x, N[:, :2])", "randn(1,2,5)"),
    ("exp(1j*x).real", V),
    ("abs(x*x.conj())", "[1+2j,0.5-1j]"),
    ("v.sum()*2 + 0*x.detach().sum()", V),
]


def lanes_of(run, name="x"):
    replay = Replay(run)
    with replay.session():
        values = replay.every({})
        return replay, Lanes(replay, values, (replay.inputs[name],))


@pytest.mark.parametrize(("source", "x"), SOURCES, ids=[f"{one[0]} {one[1][:9]}" for one in SOURCES])
def test_each_lane_is_the_replay_at_its_point(traced, source, x):
    dtype = "complex128" if "j," in x else "float64"
    given = {name: text for name, text in {"v": V, "M": M, "N": T}.items() if name in source}
    run = traced(source + ".real" * (dtype == "complex128"), x=x, const=" ".join(given), dtype=dtype, **given)
    replay, lanes = lanes_of(run)
    leaf = replay.leaves["x"]
    points = torch.stack([leaf * (1 + 0.1 * number) for number in range(LANES)])
    with replay.session():
        made = lanes({replay.inputs["x"]: points})
        made = made if lanes.moves_root else made.expand(LANES, *made.shape)
        each = torch.stack([replay({"x": point}) for point in points])
    assert torch.allclose(made, each, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("source", ["F.dropout(x, 0.5)*x", "x.clone().mul_(x)", "F.rrelu(x, training=True)"])
def test_what_cannot_be_made_in_lanes_is_made_point_by_point(judged, source):
    found = judged(source, x=V).gradients["x"]
    assert found.verdict is Verdict.OK
    assert found.error_bar < 1e-9


def test_a_draw_has_no_lanes(traced):
    with pytest.raises(NoLanesError):
        lanes_of(traced("F.dropout(x, 0.5)", x=V))


def test_only_what_depends_on_the_leaf_is_evaluated(traced):
    run = traced("sum(exp(y)*sin(y) + x)", x=V, y=V)
    assert [planned.index for planned, _, _ in lanes_of(run)[1].calls] == [5, 6]


def test_lanes_that_differ_from_the_replay_are_not_used(traced, monkeypatch):
    run = traced("sum(x**2)", x=V)
    replay = Replay(run)
    with replay.session():
        line = Line(replay, "x", torch.ones((), dtype=torch.float64))
        moved = line.components.repeat(3, 1)
        moved[1:] += 0.1
        right = line.changes(moved)
        assert line.lanes is not None
        lie = line.lanes
        monkeypatch.setattr(type(lie), "__call__", lambda self, given: (given[0] ** 2).sum(1) * 1.0001)
        assert line.changes(moved) == pytest.approx(right, rel=1e-12)
        assert line.lanes is None
