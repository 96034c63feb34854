"""The chain rule way by way and what is kept, of expressions and of programs."""

import json
import subprocess
import sys
from math import prod

import pytest

from autograd_cli.symbolic.derive import LocalFactors

ASKED = {"steps": True, "saved": True}

PROGRAM = """\
x = torch.tensor(2.0, requires_grad=True)
a = x**2
b = a*x
b = b + a.detach()*x
b.backward()
"""

IN_PLACE = """\
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = torch.tensor(0.5, requires_grad=True)
y = x * w
y[0] *= 3
y.add_(x)
z = y.sigmoid_() * 2
loss = (z ** 2).sum()
loss.backward()
"""


def test_each_way_has_its_local_derivatives_with_numbers_and_they_add_up(explored):
    chain = explored("x*x + sin(x*x)", ("x", "1.5"), **ASKED).chain
    (ways,) = chain.leaves
    assert [way.nodes for way in ways.ways] == [(0, 1, 2), (0, 1, 2), (0, 3, 4, 2), (0, 3, 4, 2)]
    assert [[link.formula for link in way.links] for way in ways.ways[1:3]] == [
        ["1", "x"],
        ["1", "cos(x*x)", "x"],
    ]
    for way in ways.ways:
        assert prod(link.factor for link in way.links) == pytest.approx(way.contribution)
        assert all(link.agrees for link in way.links)
    assert sum(way.contribution for way in ways.ways) == pytest.approx(ways.autograd)
    assert (ways.number, ways.rest, chain.checked, chain.departed) == (4, None, 5, 0)


def test_a_rule_that_is_a_little_off_is_told_at_its_step(explored, monkeypatch):
    found = LocalFactors.of
    lied = {"cos(x*x)": "1.0005*cos(x*x)"}
    monkeypatch.setattr(
        LocalFactors, "of", lambda self, at: {k: lied.get(v, v) for k, v in found(self, at).items()}
    )
    (ways,) = explored("x*x + sin(x*x)", ("x", "1.5"), dtype="float64", **ASKED).chain.leaves
    said = {link.formula: link.agrees for way in ways.ways for link in way.links}
    assert said == {"1": True, "x": True, "1.0005*cos(x*x)": False}


def test_of_tensors_each_step_has_what_it_hands_down(explored):
    report = explored(
        "mean((X@w-y)**2)",
        ("X", "randn(10,3)"),
        ("w", "randn(3,1)"),
        ("y", "randn(10,1)"),
        wrt=("w",),
        **ASKED,
    )
    (ways,) = report.chain.leaves
    (way,) = ways.ways
    assert [(link.shape, link.formula) for link in way.links] == [
        ((10, 1), "1/10 * g"),
        ((10, 1), "2*g*(X@w - y)"),
        ((10, 1), "g"),
        ((3, 1), "X.T @ g"),
    ]
    assert way.contribution == ways.autograd == ways.total


@pytest.mark.parametrize("share", ["1", "1.0005"])
def test_a_vjp_on_paper_that_is_a_little_off_is_told_at_its_step(explored, monkeypatch, share):
    found = LocalFactors.handed
    monkeypatch.setattr(
        LocalFactors, "handed", lambda self, at: {k: f"{share}*({v})" for k, v in found(self, at).items()}
    )
    bound = (("X", "randn(10,3)"), ("w", "randn(3,1)"), ("y", "randn(10,1)"))
    (ways,) = explored("mean((X@w-y)**2)", *bound, wrt=("w",), dtype="float64", **ASKED).chain.leaves
    assert {link.agrees for link in ways.ways[0].links} == {share == "1"}


@pytest.mark.parametrize(
    ("source", "x"),
    [
        ("(relu(x)*F.dropout(x)).sum()", "[0.,1.,-2.,3.]"),
        ("(rand(3)*x).exp().sum()", "randn(3)"),
        ("x.max(1).values.sum() + x.norm() + x.abs().sum()", "randn(3,4)"),
        ("F.layer_norm(x, (4,)).pow(2).sum().half().float()", "randn(3,4)"),
        ("(x[None]*x[:,None]).sum().sqrt()*logsumexp(x, 0)", "[1.,2.,-0.5]"),
    ],
)
def test_nothing_is_told_of_what_is_right(explored, source, x):
    chain = explored(source, ("x", x), **ASKED).chain
    assert chain.leaves
    assert chain.departed == 0
    assert not [
        link for ways in chain.leaves for way in ways.ways for link in way.links if link.agrees is False
    ]


def test_what_is_cut_is_no_way_and_is_named(explored):
    report = explored("x.detach()*x*x", ("x", "3."), **ASKED)
    (ways,) = report.chain.leaves
    assert [way.contribution for way in ways.ways] == [9.0, 9.0]
    assert [report.graph.nodes[number].text for number in ways.cut] == ["x.detach()"]


def test_the_rest_of_many_ways_is_counted_and_summed(explored):
    source = "*".join("x" * 12)
    (ways,) = explored(source, ("x", "2."), **ASKED).chain.leaves
    assert (ways.number, len(ways.ways), ways.rest) == (12, 4, 8 * 2.0**11)
    (ways,) = explored(source, ("x", "2."), full=True, **ASKED).chain.leaves
    assert (ways.number, len(ways.ways), ways.rest) == (12, 12, None)


def test_ways_beyond_all_counting_have_their_power(explored):
    source = "y = x\nfor i in range(80):\n    y = y*y*0.99\ny"
    (ways,) = explored(source, ("x", "1."), **ASKED).chain.leaves
    assert ways.number is None
    assert ways.power == pytest.approx(24.08, abs=0.01)
    assert ways.total == pytest.approx(ways.autograd)


def test_a_program_is_followed_from_its_last_backward_in_the_names_that_stand_in_it(explored):
    chain = explored(PROGRAM, **ASKED).chain
    (ways,) = chain.leaves
    assert [(way.contribution, [link.formula for link in way.links]) for way in ways.ways] == [
        (8.0, ["1", "x", "2*x"]),
        (4.0, ["1", "a.detach()"]),
        (4.0, ["1", "a"]),
    ]
    assert all(link.agrees for way in ways.ways for link in way.links)
    assert (ways.autograd, chain.checked, chain.departed) == (16.0, 5, 0)


def test_another_root_is_followed_too(explored):
    (ways,) = explored(PROGRAM, root="a", **ASKED).chain.leaves
    assert [way.contribution for way in ways.ways] == [4.0]


def test_a_program_that_writes_in_place_is_followed(explored):
    chain = explored(IN_PLACE, **ASKED).chain
    assert [(ways.leaf, ways.number) for ways in chain.leaves] == [("x", 3), ("w", 2)]
    assert [ways.total for ways in chain.leaves] == [ways.autograd for ways in chain.leaves]
    assert chain.departed == 0


def test_a_name_that_is_written_into_later_stands_for_what_it_was(explored):
    source = """\
x = torch.tensor(2.0, requires_grad=True)
y = x * 1.5
v = y.view(1)
z = y.exp()
v.add_(1)
(z + v.sum()).backward()
"""
    chain = explored(source, **ASKED).chain
    said = [(link.formula, link.agrees) for ways in chain.leaves for way in ways.ways for link in way.links]
    assert ("y.exp()", True) in said
    assert False not in [agrees for _, agrees in said]
    assert chain.departed == 0
    assert chain.leaves[0].total == chain.leaves[0].autograd


def test_a_backward_that_failed_has_no_ways(explored):
    chain = explored(IN_PLACE.replace("() * 2", "() + 0; y.mul_(w)"), **ASKED).chain
    assert (chain.leaves, chain.reason) == ((), "no backward came through it")


def test_without_a_graph_there_is_nothing_to_follow_and_nothing_is_kept(explored):
    report = explored("x*2", ("x", "1."), no_grad=True, **ASKED)
    assert report.chain.reason == "there is no graph"
    assert (report.saved.bytes, report.saved.storages) == (0, ())


def test_a_meta_tensor_has_no_ways(explored):
    assert explored("x*x", ("x", "1."), device="meta", **ASKED).chain.reason == "meta tensors have no values"


@pytest.mark.parametrize(
    ("source", "storages"),
    [
        ("sin(x**2).sum()", [16, 16]),
        ("(x*x*x).sum()", [16, 16]),
        ("(x[1:]*x[:3].exp()).sum()", [12, 16]),
        ("(x.expand(3, 4)*x).sum()", [16]),
        ("x.sum()", []),
    ],
)
def test_what_is_kept_is_what_the_header_says(explored, source, storages):
    report = explored(source, ("x", "[1.,2.,3.,4.]"), **ASKED)
    assert report.saved.bytes == report.kept_bytes == sum(storages)
    assert sorted(report.saved.storages) == storages
    kept = {one.storage for node in report.graph.nodes for one in node.saved}
    assert kept == set(range(len(storages)))


def test_neither_stands_in_a_report_that_was_not_asked_for_it(explored):
    report = explored("x*x", ("x", "1."))
    assert (report.chain, report.saved) == (None, None)


PROBE = """
import sys, json
from autograd_cli.explore import explore, Options
from autograd_cli.views import render
report = explore("x*x", [("x", "1.")], Options(steps="--steps" in sys.argv, saved="--steps" in sys.argv))
render(report, "plain", width=None, colour=False)
rooms = ("explore.steps", "graph.chain", "graph.handed", "views.chain", "views.saved")
print(json.dumps([room for room in rooms if f"autograd_cli.{room}" in sys.modules]))
"""


@pytest.mark.parametrize(("asked", "count"), [([], 0), (["--steps"], 5)])
def test_what_nobody_asks_for_is_not_loaded(asked, count):
    found = subprocess.run([sys.executable, "-c", PROBE, *asked], capture_output=True, text=True, check=True)
    assert len(json.loads(found.stdout)) == count


@pytest.mark.parametrize(
    "source",
    [
        "x = x + 1; y = x*x; y.backward()",
        "y = x*2; y = y.sin(); y = y*y*x; x = y*3; y = x.detach()*x; x = x + 1; (x.detach()*x*y).backward()",
        "for i in range(3):\n    x = x*x + i\nx.backward()",
        "n = 2; y = x**n; n = 3; y = y**n; y.backward()",
    ],
)
def test_on_paper_a_name_is_what_it_stood_for_at_its_place(explored, source):
    links = [
        link
        for ways in explored(source, ("x", "1.25"), dtype="float64", **ASKED).chain.leaves
        for way in ways.ways
        for link in way.links
    ]
    assert [link.exact for link in links] == pytest.approx([link.factor for link in links], rel=1e-12)
    assert {link.agrees for link in links} == {True}


def test_what_hands_down_a_matrix_is_held_against_the_name_at_its_place(explored):
    (ways,) = explored(
        "X = X@X; X = X.tanh(); X = (X*X).sum(); X.backward()", ("X", "randn(3,3)"), **ASKED
    ).chain.leaves
    assert {(link.formula, link.agrees) for link in ways.ways[0].links} == {
        ("g", True),
        ("X*g", None),  # two ways meet below
        ("g*(1 - X.tanh()**2)", True),
        ("g @ X.T", None),
    }


def test_a_value_that_was_written_through_a_view_is_not_what_its_name_was_given(explored):
    source = "y = x*1.5; v = y.view(1); v.add_(1); z = y.exp()*y; z.backward()"
    (ways,) = explored(source, ("x", "2."), **ASKED).chain.leaves
    assert {link.formula: link.agrees for way in ways.ways for link in way.links} == {
        "y": None,
        "": None,
        "1.5": True,
    }


def test_the_nodes_of_one_call_have_what_they_hand_down_together(explored):
    bound = (("X", "randn(5,3)"), ("W", "randn(3,4)"), ("t", "[0,1,2,3,0]"))
    chain = explored("F.cross_entropy(X@W, t)", *bound, wrt=("W",), **ASKED).chain
    formula = "1/5 * g*(softmax(X@W, 1) - F.one_hot(t, 4))"
    assert [(call.nodes, call.to, call.formula, call.agrees) for call in chain.calls] == [
        ((0, 1), 2, formula, True)
    ]


def test_what_a_call_hands_down_on_paper_is_held_against_the_engine(explored, monkeypatch):
    found = LocalFactors.handed
    monkeypatch.setattr(
        LocalFactors, "handed", lambda self, at: {k: f"1.0005*({v})" for k, v in found(self, at).items()}
    )
    source = "logdet(A@A.T + eye(3))"
    (call,) = explored(source, ("A", "randn(3,3)"), dtype="float64", **ASKED).chain.calls
    assert (call.formula, call.agrees) == ("1.0005*(g*linalg.inv(A@A.T + eye(3)))", False)
