"""Autograd: graphs, devices and dtypes under a gradient, and the check of it."""

import io
import json

import pytest
import torch

from autograd_cli import cli
from autograd_cli.cli.environment import Environment
from autograd_cli.explore import Options
from autograd_cli.report import Verdict
from autograd_cli.run import devices

# Graphs and the chain rule


@pytest.mark.parametrize(
    ("source", "bound", "value", "root", "gradients"),
    [
        ("x**2 + y**3", {"x": "2", "y": "3"}, 31, "AddBackward0", {"x": 4, "y": 27}),
        ("sin(x**2)", {"x": "2"}, -0.7568, "SinBackward0", {"x": -2.6146}),
        ("x*y + sin(x)", {"x": "2", "y": "3"}, 6.9093, "AddBackward0", {"x": 2.5839, "y": 2}),
        ("(a*b+1)**2", {"a": "1", "b": "2"}, 9, "PowBackward0", {"a": 12, "b": 6}),
        ("w*x+b", {"x": "2", "w": "3", "b": "1"}, 7, "AddBackward0", {"x": 3, "w": 2, "b": 1}),
    ],
)
def test_a_scalar_expression(run, gradient, source, bound, value, root, gradients):
    report = run(source, **bound)
    assert report.output.value == pytest.approx(value, abs=5e-5)
    assert report.graph.nodes[report.graph.root].op == report.output.grad_fn == root
    for name, expected in gradients.items():
        assert gradient(report, name) == pytest.approx(expected, abs=5e-5)


def test_the_chain_rule_step_by_step(run):
    report = run("sin(x**2)", x="2")
    z, u, _ = report.graph.nodes
    assert (z.text, u.text) == ("sin(x**2)", "x**2")
    assert z.value == pytest.approx(-0.7568, abs=5e-5)
    assert u.gradient == pytest.approx(-0.6536, abs=5e-5)
    assert (u.local.formula, u.local.value) == ("2*x", 4)
    (path,) = report.graph.paths
    assert path.factors == pytest.approx((1, -0.6536, 4), abs=5e-5)
    assert path.product == pytest.approx(-2.6146, abs=5e-5)


def test_a_leaf_that_is_reached_twice_stands_once(run):
    graph = run("x*y + sin(x)", x="2", y="3").graph
    label = {node.id: node.leaf or node.op for node in graph.nodes}
    assert sorted(label.values()) == ["AddBackward0", "MulBackward0", "SinBackward0", "x", "y"]
    assert [(label[e.from_], e.slot, label[e.to]) for e in graph.edges] == [
        ("AddBackward0", 0, "MulBackward0"),
        ("AddBackward0", 1, "SinBackward0"),
        ("MulBackward0", 0, "x"),
        ("MulBackward0", 1, "y"),
        ("SinBackward0", 0, "x"),
    ]
    assert {node.leaf: node.value for node in graph.nodes if node.leaf} == {"x": 2, "y": 3}


# Devices


def agx(*words):
    """What a command line prints, in this process."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    assert cli.run(words, Environment(io.StringIO(), out, io.StringIO(), {})) == 0
    out.seek(0)
    return out.read()


def test_every_device_is_listed_with_the_reason_why_not():
    rows = json.loads(agx("devices", "--json"))["devices"]
    assert {row["name"].partition(":")[0] for row in rows} == {"cpu", "cuda", "mps", "xpu"}
    assert all(bool(row["why_not"]) is not row["usable"] for row in rows)
    assert all(row["description"] and row["memory_bytes"] for row in rows if row["usable"])


def test_without_an_accelerator_the_cpu_is_taken(monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.version, "hip", None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    if any(device.usable for device in devices.survey()[1:]):
        pytest.skip("another accelerator is here")
    assert agx("devices", "-q") == "cpu\n"
    assert "torch was built without CUDA" in agx("devices")


META = "device='meta'"


@pytest.mark.parametrize(
    ("source", "bound", "names"),
    [
        ("a @ b", {"a": "randn(2,3)", "b": f"randn(3,2,{META})"}, "ab"),
        ("F.linear(a, b)", {"a": "randn(2,3)", "b": f"randn(4,3,{META})"}, "ab"),
        ("bmm(a, b)", {"a": "randn(2,3,4)", "b": f"randn(2,4,3,{META})"}, "ab"),
        ("F.conv2d(a, b)", {"a": "randn(1,1,5,5)", "b": f"randn(1,1,3,3,{META})"}, "ab"),
        ("F.embedding(i, w)", {"i": "tensor([0,1])", "w": f"randn(3,2,{META})"}, "iw"),
        ("w[i]", {"i": "tensor([0,1])", "w": f"randn(3,2,{META})"}, "iw"),
        ("a + b", {"a": "randn(2)", "b": f"ones(2,{META})"}, "ab"),
    ],
)
def test_operands_on_two_devices_are_named_with_a_fix(run, found, source, bound, names):
    report = run(source, **bound)
    finding = found(report, "AGX303")
    here, there = names
    assert f"`{here}` is on cpu" in finding.sentence
    assert f"`{there}` is on meta" in finding.sentence
    assert report.status == 1
    assert f"{here}.to({there}.device)" in finding.fix[0].program
    assert finding.fix[0].passed


@pytest.mark.parametrize("source", ["x.to('cpu')", "x.cpu()", "x.to(y.device)", "zeros(2, device='cpu') + x"])
def test_moving_to_where_it_is_changes_nothing(run, gradient, source):
    report = run(source, Options(wrt=("x",)), x="[1.,2.]", y="[3.]")
    assert (report.output.value, report.output.device) == ((1, 2), "cpu")
    assert gradient(report, "x") == (1, 1)


# Dtypes


@pytest.mark.parametrize(
    ("source", "dtype"),
    [
        ("tensor([1,2,3])", "int64"),
        ("tensor([1.,2.,3.])", "float32"),
        ("tensor([True])", "bool"),
        ("x.half()", "float16"),
        ("x.bfloat16()", "bfloat16"),
        ("x.double()", "float64"),
        ("x.to(float64)", "float64"),
        ("x.to(torch.float16).float()", "float32"),
    ],
)
def test_dtypes_and_casts_that_keep_the_gradient(run, gradient, source, dtype):
    report = run(source, **({"x": "[1.,2.]"} if "x" in source else {}))
    assert report.output.dtype == dtype
    assert (
        run(f"({source}).dtype", **{b.name: b.text for b in report.bindings}).output.value == f"torch.{dtype}"
    )
    assert all(gradient(report, binding.name) == (1, 1) for binding in report.bindings)


@pytest.mark.parametrize(
    ("source", "dtype", "value"),
    [("x.int()", "int32", (1, 2)), ("x.long()", "int64", (1, 2)), ("x.bool()", "bool", (True, True))],
)
def test_a_cast_to_whole_numbers_cuts_the_gradient(run, found, source, dtype, value):
    report = run(source, x="[1.5,2.]")
    assert (report.output.dtype, report.output.value, report.gradients) == (dtype, value, ())
    assert found(report, "AGX403").sentence.startswith(f"`x` gets no gradient: `{source}` gives ")


def test_two_dtypes_are_promoted_element_by_element_and_told(run, found):
    report = run("a + b", a="tensor([1.,2.])", b="tensor([1.,2.],dtype=float64)")
    assert (report.output.dtype, report.status) == ("float64", 0)
    assert found(report, "AGX305").sentence == "`a` is float32 and is promoted: `a + b` is float64."


@pytest.mark.parametrize(
    ("source", "name", "b"),
    [
        ("a @ b", "dtype-mismatch-double-float", "randn(3,2,dtype=float64)"),
        ("F.linear(a, b)", "dtype-mismatch-double-float", "randn(2,3,dtype=float64)"),
        ("a @ b", "dtype-mismatch-half-float", "randn(3,2,dtype=float16)"),
    ],
)
def test_two_dtypes_do_not_multiply_and_the_fix_works(run, found, passes, source, name, b):
    bound = {"a": "randn(2,3)", "b": b}
    report = run(source, **bound)
    finding = found(report, "AGX304")
    assert (report.status, finding.name) == (1, name)
    assert "`a` is float32" in finding.sentence
    assert passes(finding, **bound).status == 0


def test_a_gradient_that_underflows_in_float16_is_pointed_out(run, found):
    report = run("(x*1e-5*1e-4).sum()", Options(dtype="float16"), x="[1.,2.]")
    (lost,) = report.gradients
    assert lost.autograd == (0, 0)
    assert lost.symbolic == pytest.approx((1e-9, 1e-9), rel=1e-9)
    assert lost.verdict is Verdict.PRECISION
    told = found(report, "AGX505")
    assert (told.severity, told.name) == ("warning", "gradient-underflow")
    assert told.sentence.endswith("in float64 none is 0 and the largest is 1e-09.")
    assert told.cause[-1] == "so scale by 2^12 to 2^15"


def test_a_loss_that_is_scaled_saves_the_gradient_from_underflow(run, gradient):
    report = run("(x*1e-5*1e-4).sum()", Options(dtype="float16", grad_output="2.**14"), x="[1.,2.]")
    assert gradient(report, "x") == pytest.approx((2**14 * 1e-9,) * 2, rel=0.01)


# The check of gradients itself

LINEAR = "mean((X@W+b-y)**2)"
DATA = {"X": "randn(10,3)", "W": "randn(3,1)", "b": "randn(1)", "y": "randn(10,1)"}


@pytest.mark.parametrize("seed", [0, 1, 42])
def test_in_float64_differences_agree_to_nine_digits(run, flat, seed):
    report = run(LINEAR, Options(dtype="float64", seed=seed, wrt=("W", "b")), **DATA)
    assert [(g.name, g.shape) for g in report.gradients] == [("W", (3, 1)), ("b", (1,))]
    for of_name in report.gradients:
        assert flat(of_name.autograd) == pytest.approx(flat(of_name.numeric), rel=0, abs=1e-9)


# A result of several elements


def test_a_bare_backward_from_a_vector_quotes_what_torch_says(run, found, gradient):
    report = run("x*2", x="[1.,2.,3.]")
    finding = found(report, "AGX401")
    with pytest.raises(RuntimeError, match="scalar outputs") as raised:
        (torch.ones(3, requires_grad=True) * 2).backward()
    assert (finding.torch, finding.severity, report.status) == (str(raised.value), "note", 0)
    assert gradient(report, "x") == (2, 2, 2)


@pytest.mark.parametrize(("given", "gets"), [("[1,1,1]", (2, 2, 2)), ("[1,0,.5]", (2, 0, 1))])
def test_a_vector_goes_back_from_the_cotangent_that_is_given(run, gradient, given, gets):
    report = run("x*2", Options(grad_output=given), x="[1.,2.,3.]")
    assert gradient(report, "x") == gets
    assert [f.code for f in report.findings] == []
    assert report.output.gradient == tuple(value / 2 for value in gets)
