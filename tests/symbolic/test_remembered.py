"""What is derived once is given again for the same tape, and for no other."""

from dataclasses import replace

import pytest
import torch

from autograd_cli.lang.nodes import Name
from autograd_cli.report import Ref
from autograd_cli.symbolic import derive
from autograd_cli.symbolic.remembered import differentiate, local_factors, outline
from autograd_cli.symbolic.unparse import unparse


def written(steps, root, wrt=(0,), **how):
    """The formulas of a tape, which are those that are derived anew."""
    found = differentiate(steps, root, wrt, **how)
    assert found == derive.differentiate(steps, root, wrt, **how)
    assert [local_factors(steps).of(s.index) for s in steps if s.kind == "call"] == [
        derive.LocalFactors(steps).of(s.index) for s in steps if s.kind == "call"
    ]
    return {index: one.formula and unparse(one.formula) for index, one in found.items()}


def test_a_tape_of_the_same_text_at_another_value_is_known(tape):
    tapes = [tape("sin(x**2)", {"x": value}) for value in (1.0, 2.0, 3.0, 4.0, 5.0)]
    assert len({outline(steps) for steps, _ in tapes[1:]}) == 1
    derived = [differentiate(steps, root, [0]) for steps, root in tapes]
    factors = [local_factors(steps) for steps, _ in tapes]
    assert derived[3] is derived[4]
    assert factors[3] is factors[4]


@pytest.mark.parametrize(
    ("source", "variants"),
    [
        ("x*n", [{"x": 2.0, "n": 3}, {"x": 2.0, "n": True}, {"x": 2.0, "n": 3.0}]),
        ("x**n", [{"x": 2.0, "n": 1}, {"x": 2.0, "n": True}, {"x": 2.0, "n": 1.0}, {"x": 2.0, "n": 0}]),
        ("(x*y).sum()", [{"x": [1.0, 2.0], "y": 2.0}, {"x": 2.0, "y": [1.0, 2.0]}, {"x": 2.0, "y": 2.0}]),
        (
            "(x*y).sum()",
            [{"x": [1.0], "y": [1.0]}, {"x": [[1.0]], "y": [1.0]}, {"x": [1.0, 2.0], "y": [1.0]}],
        ),
        ("x*2 if n else 2*x*x", [{"x": 2.0, "n": 1}, {"x": 2.0, "n": 0}]),
        ("(x*y).mean()", [{"x": [1.0] * n, "y": 2.0} for n in range(1, 4)]),
        ("x*y", [{"x": 2.0, "y": torch.tensor(2)}, {"x": 2.0, "y": torch.tensor(2.0)}]),
    ],
)
def test_the_same_text_on_other_operands_is_another_tape(tape, source, variants):
    made = [tape(source, values) for values in variants]
    outlines = [outline(steps) for steps, _ in made]
    assert len(set(outlines)) == len(outlines)
    for steps, root in made * 3:
        written(steps, root)


def test_numbers_that_are_equal_and_not_the_same_are_told_apart(tape):
    (x, call), _ = tape("x*2", {"x": 2.0})
    kinds = [2, 2.0, True, 1, 1.0, 0.0, -0.0, (1,), [1], (Ref(0),), 0, "1", None, slice(1), slice(True)]
    outlines = [outline([x, replace(call, args=(Ref(0), one))]) for one in kinds]
    assert len(set(outlines)) == len(kinds)


def test_every_part_of_a_step_counts(tape):
    (x, call), _ = tape("x*2", {"x": 2.0})
    changes = [
        {"expr": replace(x.expr)},
        {"kind": "constant"},
        {"path": "torch.add"},
        {"key": "add"},
        {"args": (1,)},
        {"kwargs": (("dim", 1),)},
        {"shape": (1,)},
        {"dtype": "float32"},
        {"requires_grad": False},
        {"name": "y"},
        {"value": 2},
        {"results": 2},
    ]
    assert {name for change in changes for name in change} | {"index"} == set(x.__dataclass_fields__)
    outlines = {outline([replace(x, **change), call]) for change in [{}, *changes]}
    assert len(outlines) == len(changes) + 1


def test_names_that_are_hidden_and_what_is_asked_for_count(tape):
    steps, root = tape("sin(x)*y", {"x": 2.0, "y": 3.0})
    assert written(steps, root) == {0: "y*cos(x)"}
    assert written(steps, root, hidden=("cos",)) == {0: "y*torch.cos(x)"}
    assert written(steps, root, (2,)) == {2: "sin(x)"}
    assert written(steps, root, cotangent=Name("y")) == {0: "y**2*cos(x)"}
    assert written(steps, root) == {0: "y*cos(x)"}


def test_a_step_further_down_is_another_root(tape):
    steps, root = tape("sin(x)**2", {"x": 2.0})
    assert written(steps, root - 1) == {0: "cos(x)"}
    assert written(steps, root) == {0: "2*cos(x)*sin(x)"}


def test_a_long_tape_and_values_of_unknown_kinds_are_not_remembered(tape):
    steps, _ = tape("+".join(["x*x"] * 40), {"x": 2.0})
    assert outline(steps) is None
    steps, _ = tape("x.to(torch.float64)", {"x": 2.0})
    assert outline(steps) is None
    assert local_factors(steps) is not local_factors(steps)
