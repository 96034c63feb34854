import pytest
from torch import ones, tensor

from autograd_cli.explore import explore
from autograd_cli.explore.options import Options

NO_VALUE = "no value of it goes into the output"
UNMOVED = "which do not change when its operands change a little"

CUTS = [
    ("(w * x.detach()).sum()", "x.detach()", "detached-prediction-in-loss", ["(w * x).sum()"]),
    ("(w * x.data).sum()", "x.data", "detached-prediction-in-loss", ["(w * x).sum()"]),
    ("(w * argmax(x)).sum()", "argmax(x)", "nondifferentiable-op-in-loss", []),
    ("(w * (x > 1)).sum()", "x > 1", "nondifferentiable-op-in-loss", []),
    ("(w * x.long()).sum()", "x.long()", "nondifferentiable-op-in-loss", ["(w * x).sum()"]),
    ("w * float(x.sum()) * 2.", "float(x.sum())", "nondifferentiable-op-in-loss", []),
    ("w * x.sum().item()", "x.sum().item()", "nondifferentiable-op-in-loss", ["w * x.sum()"]),
    ("(w * max(x, 0)[1]).sum()", "max(x, 0)[1]", "nondifferentiable-op-in-loss", []),
    (
        "(w * round(x)).sum()",
        "round(x)",
        "nondifferentiable-op-in-loss",
        ["(w * (x + (round(x) - x).detach())).sum()"],
    ),
    (
        "(w * (x * 2).floor()).sum()",
        "(x * 2).floor()",
        "nondifferentiable-op-in-loss",
        ["(w * ((x * 2) + ((x * 2).floor() - (x * 2)).detach())).sum()"],
    ),
    ("(w * sign(x)).sum()", "sign(x)", "nondifferentiable-op-in-loss", None),
]


@pytest.mark.parametrize(("source", "where", "name", "programs"), CUTS)
def test_the_cutting_expression_is_named_and_mended(said, works, source, where, name, programs):
    values = {"x": tensor([1.5, 2.5]), "w": tensor(2.0)}
    finding = next(each for each in said(source, **values) if each.name == name)
    detached = name == "detached-prediction-in-loss"
    assert (finding.code, finding.severity) == ("AGX453" if detached else "AGX403", "warning")
    assert source[slice(*finding.span)] == where
    assert finding.evidence["bindings"] == ["x"]
    if programs is not None:
        assert [fix.program for fix in finding.fix] == programs
    if programs:
        works(finding, **values)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x.detach() * w", "no gradient: `x.detach()` gives the values as constants, outside the graph."),
        ("argmax(x) * w", f"no gradient: `argmax(x)` gives whole numbers, {UNMOVED}."),
        ("(x > 1).sum() * w", f"no gradient: `x > 1` gives truth values, {UNMOVED}."),
        ("x[0].item() * w", "no gradient: `x[0].item()` is a Python float, which is outside torch's graph."),
        ("round(x).sum() * w", "a gradient of 0 everywhere: `round(x)` is flat between its jumps."),
    ],
)
def test_each_kind_of_cut_has_its_reason(said, source, reason):
    assert f"`x` gets {reason}" in [each.sentence for each in said(source, x=ones(2), w=tensor(1.0))]


def test_an_output_with_no_graph_at_all_quotes_torch(said):
    (finding,) = said("argmax(x + y)", x=ones(2), y=ones(2))
    assert finding.sentence.startswith("`x` and `y` get no gradient: `argmax(x + y)` gives whole numbers")
    assert finding.torch == "element 0 of tensors does not require grad and does not have a grad_fn"
    assert finding.also == ("loss-has-no-grad-path",)


def test_an_output_with_another_way_up_quotes_nothing(said):
    (finding,) = said("(x.detach() * w).sum()", x=ones(2), w=tensor(1.0))
    assert (finding.torch, finding.also) == ("", ())


@pytest.mark.parametrize(
    "source",
    [
        "(x - floor(x)).sum()",
        "(x * (x > 0)).sum()",
        "x[x.argmax()]",
        "relu(x).sum()",
    ],
)
def test_a_binding_that_arrives_by_another_way_is_silent(said, source):
    assert said(source, x=tensor([1.5, 0.5])) == ()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("(ones_like(x) * y).sum()", f"{NO_VALUE}; `ones_like(x)` takes its shape or dtype."),
        ("(x.size(0) * y).sum()", f"{NO_VALUE}; `x.size(0)` takes its shape or dtype."),
        ("(x.shape[0] * y).sum()", f"{NO_VALUE}."),
        ("y.sum() if y.sum() > 0 else x", "it stands only where the run did not come by."),
    ],
)
def test_a_binding_whose_values_are_not_read(said, source, reason):
    (finding,) = said(source, x=ones(2), y=ones(2))
    assert (finding.code, finding.name) == ("AGX406", "input-not-used")
    assert finding.sentence == f"`x` gets no gradient: {reason}"


def test_a_cut_is_not_an_unused_input_as_well(said):
    assert [each.code for each in said("(x.detach() * y).sum()", x=ones(2), y=ones(2))] == ["AGX453"]


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("x.detach()*x", "x.detach()"),
        ("x.item()*x", "x.item()"),
        ("float(x)*x", "float(x)"),
        ("x.data + x", "x.data"),
        ("x.long()*x", "x.long()"),
    ],
)
def test_a_part_that_is_held_constant_beside_another_way_is_said(said, source, part):
    (finding,) = [f for f in said(source, x=tensor(2.0)) if f.code == "AGX408"]
    assert (finding.name, finding.severity) == ("stop-gradient", "note")
    assert source[slice(*finding.span)] == part
    assert finding.sentence.startswith(f"`{part}` counts as a constant: the gradient of `x` leaves out")


@pytest.mark.parametrize(
    "source", ["where(x > 0, x, 0.)", "x*argmax(x)", "x/len(x)", "x*x", "zeros_like(x) + x"]
)
def test_comparisons_indices_and_shapes_hold_nothing_that_was_meant(said, source):
    assert not [f for f in said(source, x=tensor([1.0, 2.0])) if f.code == "AGX408"]


def test_a_binding_that_another_value_alone_is_made_of_is_no_input_that_is_not_read():
    report = explore("z*3", [("x", "2."), ("y", "x+1"), ("z", "y+0.")], Options())
    assert "AGX406" not in {finding.code for finding in report.findings}
