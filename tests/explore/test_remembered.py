"""What is remembered of one source never shows in the report of another that is nearly the same."""

import pytest

from autograd_cli.explore import Options, explore
from autograd_cli.gradients import formula
from autograd_cli.lang import check, parse, scope
from autograd_cli.report.json import to_json
from autograd_cli.symbolic import remembered

REMEMBERED = [
    made.__wrapped__
    for module in (formula, check, parse, scope, remembered)
    for made in vars(module).values()
    if hasattr(getattr(made, "__wrapped__", None), "cache_info")
]

VECTOR, COLUMN = "[1.,2.,3.]", "[[1.],[2.],[3.]]"

NEARLY_THE_SAME = {
    "shapes": [
        ("(x*y).mean()", {"x": x, "y": y}, {}) for x in ("2.", VECTOR, COLUMN) for y in ("3.", VECTOR)
    ],
    "dtypes": [
        ("exp(x)*x", {"x": "[0.1,20.]"}, {"dtype": dtype})
        for dtype in ("float32", "float64", "float16", "bfloat16", "complex64")
    ],
    "roles": [
        ("x**n", {"x": "2.", "n": "3"}, options)
        for options in ({}, {"const": ("n",)}, {"const": ("x",)}, {"wrt": ("x",)}, {"wrt": ("n",)})
    ],
    "numbers": [
        ("x*n", {"x": "2.", "n": n}, {"const": ("n",)})
        for n in ("1", "1.", "True", "0.", "-0.", "[1.]", "[1]")
    ],
    "texts": [
        (text, {"x": "2."}, {}) for text in ("x*2", "x*2.", "x * 2", "x*True", "x*-0.", "x*0.", "\nx*2")
    ],
    "hidden names": [
        ("sin(x)*y", {"x": "2.", "y": "3.", **others}, {})
        for others in ({}, {"cos": "1."}, {"torch": "1."}, {"z": "1."})
    ],
    "modes": [
        ("(x@x).sum()", {"x": "[[1.,2.],[3.,4.]]"}, options)
        for options in ({}, {"no_grad": True}, {"inference_mode": True}, {"autocast": "bfloat16"})
    ],
    "devices": [("x*2", {"x": VECTOR}, {"device": device}) for device in ("cpu", "meta")],
    "cotangents": [
        ("x*2", {"x": VECTOR}, {"grad_output": sent} if sent else {})
        for sent in ("", "[1.,1.,1.]", "[1.,0.,2.]")
    ],
    "draws": [("x*rand(3)", {"x": "2."}, {"seed": seed}) for seed in (0, 1)],
    "branches": [("x*x if x > 1 else 3*x", {"x": x}, {}) for x in ("2.", "0.5")],
    "order of the names": [
        ("x*y", pairs, {}) for pairs in ({"x": "2.", "y": "x + 1"}, {"y": "3.", "x": "y - 1"})
    ],
}


def told(source, bindings, options):
    """The report of a source as JSON."""
    return to_json(explore(source, list(bindings.items()), Options(**options)))


@pytest.mark.parametrize("variants", NEARLY_THE_SAME.values(), ids=NEARLY_THE_SAME)
def test_sources_that_are_nearly_the_same_are_told_apart(variants):
    alone = []
    for variant in variants:
        for made in REMEMBERED:
            made.cache_clear()
        alone.append(told(*variant))
    for _ in range(3):
        assert [told(*variant) for variant in variants] == alone
        assert [told(*variant) for variant in reversed(variants)] == alone[::-1]


def test_everything_that_is_remembered_is_bounded_and_used():
    for made in REMEMBERED:
        made.cache_clear()
    for value in ("2.", "3.", "4.", "5.", "6."):
        told("sin(x**2)", {"x": value}, {})
    assert len(REMEMBERED) == 6
    for made in REMEMBERED:
        assert made.cache_info().hits >= 2
        assert made.cache_info().maxsize <= 64
