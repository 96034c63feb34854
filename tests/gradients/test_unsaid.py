"""What torch takes from the dtype where it is left out is the run's in the formula and in every replay."""

import pytest
import torch

from autograd_cli.lang.functions import FUNCTIONS, by_path
from autograd_cli.lang.functions.limits import FROM_DTYPE
from autograd_cli.report import Verdict
from autograd_cli.run.unsaid import said

SMALL = {"float32": "[1e-4,2e-4]", "float64": "[1e-8,2e-8]", "bfloat16": "[1e-4,2e-4]"}
NORMS = [
    "F.rms_norm(x, (2,))@v",
    "F.rms_norm(x, [2], v).sum()",
    "F.rms_norm(x, (2,), None, None)@v",
    "F.rms_norm(x, (2,), weight=v, eps=None).sum()",
    "torch.rms_norm(x, (2,)).exp().sum()",
    "F.rms_norm(x*F.rms_norm(x, (2,)), (2,))@v",
]


@pytest.mark.parametrize("dtype", SMALL)
@pytest.mark.parametrize("source", NORMS)
def test_a_norm_of_small_numbers(judged, source, dtype):
    found = judged(source, dtype=dtype, x=SMALL[dtype], v="[1.,2.]").gradients["x"]
    assert found.verdict is Verdict.OK, found.sentence
    assert found.symbolic == pytest.approx(found.numeric, rel=1e-6)
    assert found.symbolic == pytest.approx(found.autograd, rel=0.05)
    eps = torch.finfo(torch.float64 if dtype == "float64" else torch.float32).eps
    assert repr(eps) in found.formula


@pytest.mark.parametrize(
    ("source", "formula"),
    [
        (
            "(nan_to_num(x)*y).sum()",
            "nan_to_num(x, posinf=3.4028234663852886e+38, neginf=-3.4028234663852886e+38)",
        ),
        ("(x.nan_to_num(0.0, None, 7.0)*y).sum()", "x.nan_to_num(0.0, 3.4028234663852886e+38, 7.0)"),
        ("(x.nan_to_num(neginf=-1.0, posinf=3.0)*y).sum()", "x.nan_to_num(neginf=-1.0, posinf=3.0)"),
    ],
)
def test_what_stands_for_an_infinity(judged, source, formula):
    found = judged(source, dtype="float32", x="[inf,-inf,1.]", y="[1e-30,2e-30,3.]").gradients["y"]
    assert found.verdict is Verdict.OK, found.sentence
    assert found.formula == formula
    assert found.symbolic == pytest.approx(found.numeric, rel=1e-6)


def test_nothing_is_said_where_there_is_no_infinity(judged):
    found = judged("(nan_to_num(x)*y).sum()", dtype="float32", x="[nan,1.]", y="[1.,3.]").gradients["y"]
    assert found.formula == "nan_to_num(x)"


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
@pytest.mark.parametrize(
    "asked", ["torch.finfo().eps", "torch.finfo(x.dtype).eps", "torch.finfo(torch.float16).eps"]
)
def test_a_limit_that_is_asked_for_is_the_runs(judged, asked, dtype):
    found = judged(f"x/{asked}", dtype=dtype, x="2.").gradients["x"]
    assert found.verdict is Verdict.OK
    assert found.symbolic == pytest.approx(found.autograd, rel=1e-3)


def test_every_argument_that_is_left_to_the_dtype_is_one_of_its_row():
    for key, names in FROM_DTYPE.items():
        rows = [row for row in FUNCTIONS if row.key == key]
        assert rows
        assert all(set(names) <= {argument.name for argument in row.arguments} for row in rows)


def test_what_is_given_stays():
    row, value = by_path["torch.nn.functional.rms_norm"], torch.ones(2)
    eps = torch.finfo(torch.float32).eps
    assert said(row, (1, (2,)), {}, value) == ((1, (2,)), {"eps": eps})
    assert said(row, (1, (2,), None, None), {}, value) == ((1, (2,), None, eps), {})
    assert said(row, (1, (2,), None, 0.1), {}, value) == ((1, (2,), None, 0.1), {})
    assert said(row, (1, (2,)), {"eps": 0.1}, value) == ((1, (2,)), {"eps": 0.1})
    assert said(row, (1, (2,)), {}, value.half())[1] == {"eps": eps}
    assert said(None, (1,), {}, value) == ((1,), {})
