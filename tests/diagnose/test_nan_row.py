"""Each usual way to a NaN: cause and element named, and a rewrite that is finite and equal elsewhere.

Every case is run as one expression and as a program whose operands have names of their own; the
rewrites are run here again by Python and torch, and compared.
"""

import re
from typing import NamedTuple

import pytest
import torch

from autograd_cli.explore import explore
from autograd_cli.lang.source import Source
from tests.diagnose.nan import (
    HEAD,
    LOG,
    MASKED,
    OVER,
    PLAIN,
    SQRT,
    VALUE,
    by_python,
    found,
    leaf,
    of_expression,
)


class Case(NamedTuple):
    """A source of one line, its program, the leaf x, and what must be said."""

    source: str
    program: str
    x: object
    name: str
    said: str
    element: tuple[int, ...] = (0,)


CASES = [
    Case(
        "sqrt(x).sum()",
        "y = torch.sqrt(x)\nloss = y.sum()",
        [0.0, 4.0],
        SQRT,
        "arriving 1 × local factor inf = inf",
    ),
    Case(
        "x.sqrt().mean()",
        "y = x.sqrt()\nloss = y.mean()",
        [4.0, 0.0],
        SQRT,
        "arriving 0.5 × local factor inf",
        (1,),
    ),
    Case("log(x).sum()", "y = x.log()\nloss = y.sum()", [0.0, 4.0], LOG, "is -inf at [0], where `x` is 0"),
    Case(
        "sqrt((x**2).sum())",
        "s = (x ** 2).sum()\nloss = torch.sqrt(s)",
        [0.0, 0.0],
        SQRT,
        "arriving inf × local factor 0 = nan",
    ),
    Case(
        "(log(x)*0).sum()",
        "y = torch.log(x)\nz = 0 * y\nloss = z.sum()",
        [0.0, 4.0],
        LOG,
        "arriving 0 × local factor inf = nan",
    ),
    Case(
        "where(x>0, sqrt(x), 0).sum()",
        "y = torch.sqrt(x)\nz = torch.where(x > 0, y, torch.zeros_like(x))\nloss = z.sum()",
        [0.0, 4.0],
        MASKED,
        "arriving 0 × local factor inf = nan",
    ),
    Case(
        "where(x==0, 0*x, 1/x).sum()",
        "zero = x == 0\ny = 1 / x\nloss = torch.where(zero, 0 * x, y).sum()",
        [4.0, 0.0],
        MASKED,
        "arriving 0 × local factor -inf = nan",
        (1,),
    ),
    Case(
        "(x**0.5).sum()",
        "y = x ** 0.5\nloss = y.sum()",
        [0.0, 4.0],
        SQRT,
        "arriving 1 × local factor inf = inf",
    ),
    Case(
        "sqrt(x[:2]**2+x[2:]**2).sum()",
        "a = x[:2]\nb = x[2:]\nr = torch.sqrt(a**2 + b**2)\nloss = r.sum()",
        [0.0, 3.0, 0.0, 4.0],
        SQRT,
        "arriving inf × local factor 0 = nan",
    ),
    Case("(x/x.norm()).sum()", "n = x.norm()\nu = x / n\nloss = u.sum()", [0.0, 0.0], PLAIN, "is 0: 0 / 0"),
    Case(
        "(x/x.norm(dim=1,keepdim=True)).sum()",
        "n = x.norm(dim=1, keepdim=True)\nloss = (x / n).sum()",
        [[3.0, 4.0], [0.0, 0.0]],
        PLAIN,
        "is 0: 0 / 0",
        (1, 0),
    ),
    Case(
        "((x-x.mean())/x.std()*x).sum()",
        "z = (x - x.mean()) / x.std()\nloss = (z * x).sum()",
        [2.0, 2.0, 2.0],
        PLAIN,
        "is 0: 0 / 0",
    ),
    Case(
        "(x/x.std(1,keepdim=True)).sum()",
        "s = x.std(1, keepdim=True)\nloss = (x / s).sum()",
        [[1.0, 2.0], [2.0, 2.0]],
        PLAIN,
        "is 0: 2 / 0",
        (1, 0),
    ),
    Case(
        "(softmax(x.masked_fill(x>0,-inf),0)*x).sum()",
        "s = x.masked_fill(x > 0, -inf)\np = torch.softmax(s, 0)\nloss = (p * x).sum()",
        [1.0, 2.0],
        PLAIN,
        "all that it is given there is -inf",
    ),
    Case(
        "softmax(where(x>2, x, -inf), -1)[:,0].sum()",
        "s = torch.where(x > 2, x, -inf)\np = F.softmax(s, dim=-1)\nloss = p[:, 0].sum()",
        [[3.0, 4.0], [1.0, 2.0]],
        VALUE,
        "all that it is given there is -inf",
        (1, 0),
    ),
    Case(
        "logsumexp(x+log(relu(x)*0),0)",
        "m = torch.log(torch.relu(x) * 0)\nloss = torch.logsumexp(x + m, 0)",
        [1.0, 2.0],
        LOG,
        "is -inf at [0]",
    ),
    Case(
        "acos(x).sum()",
        "y = torch.acos(x)\nloss = y.sum()",
        [1.0, 0.5],
        PLAIN,
        "arriving 1 × local factor -inf = -inf",
    ),
    Case(
        "asin(x).sum()",
        "y = x.asin()\nloss = y.sum()",
        [0.5, -1.0],
        PLAIN,
        "its operand `x` is -1 at [1]",
        (1,),
    ),
    Case(
        "(x*log(x)).sum()",
        "loss = (x * torch.log(x)).sum()",
        [0.0, 0.5],
        LOG,
        "is -inf at [0], where `x` is 0",
    ),
    Case(
        "log(sigmoid(x)).sum()",
        "p = torch.sigmoid(x)\nloss = torch.log(p).sum()",
        [-200.0, 1.0],
        LOG,
        "arriving inf × local factor 0 = nan",
    ),
    Case(
        "log(1-sigmoid(x)).sum()",
        "p = torch.sigmoid(x)\nloss = torch.log(1 - p).sum()",
        [200.0, 1.0],
        LOG,
        "where `1",
    ),
    Case(
        "log(softmax(x,0))[0]", "p = torch.softmax(x, 0)\nloss = torch.log(p)[0]", [-200.0, 1.0], LOG, "is 0"
    ),
    Case(
        "log(exp(x).sum())",
        "e = torch.exp(x)\nloss = torch.log(e.sum())",
        [1000.0, 2.0],
        OVER,
        "where `x` is 1000: float32 ends at 3.4e+38",
    ),
    Case(
        "(exp(x)/exp(x).sum()).max()",
        "e = torch.exp(x)\nloss = (e / e.sum()).max()",
        [1000.0, 2.0],
        OVER,
        "is inf at [0]",
    ),
    Case(
        "log(1+exp(x)).sum()",
        "e = torch.exp(x)\nloss = torch.log(1 + e).sum()",
        [1000.0, 2.0],
        OVER,
        "is inf at [0]",
    ),
    Case(
        "(1/(1+exp(-x))).sum()",
        "d = 1 + torch.exp(-x)\nloss = (1 / d).sum()",
        [-1000.0, 2.0],
        OVER,
        "is inf at [0]",
    ),
    Case(
        "hypot(x[:1],x[1:]).sum()",
        "r = torch.hypot(x[:1], x[1:])\nloss = r.sum()",
        [0.0, 0.0],
        SQRT,
        "is 0 at [0]",
    ),
    Case(
        "x.std()+0*x.sum()",
        "s = x.std()\nloss = s + 0 * x.sum()",
        [1.0],
        PLAIN,
        "of one number there is no spread",
        (),
    ),
    Case(
        "x[x>5].mean()",
        "chosen = x[x > 5]\nloss = chosen.mean()",
        [1.0, 2.0],
        VALUE,
        "it is the mean of no elements",
        (),
    ),
    Case("log(x-1).sum()", "y = x - 1\nloss = torch.log(y).sum()", [2.0, 1.0], LOG, "is -inf at [1]", (1,)),
    Case(
        "sqrt(x).sum()",
        "loss = torch.sqrt(x).sum()",
        [4.0, -1.0],
        PLAIN,
        "real roots are of numbers from 0 on",
        (1,),
    ),
    Case(
        "log(x).sum()",
        "loss = torch.log(x).sum()",
        [-1.0, 4.0],
        VALUE,
        "real logarithms are of numbers above 0",
    ),
    Case(
        "sqrt(((x[:,None]-x[None])**2).sum(-1)).sum()",
        "d = x[:, None] - x[None]\nr = (d ** 2).sum(-1).sqrt()\nloss = r.sum()",
        [[1.0, 2.0], [3.0, 4.0]],
        SQRT,
        "is 0 at [0, 0]",
        (0, 0),
    ),
    Case(
        "sqrt(x**2).sum()",
        "loss = torch.sqrt(x ** 2).sum()",
        [0.0, -3.0],
        SQRT,
        "arriving inf × local factor 0 = nan",
    ),
    Case("(sin(x)/x).sum()", "loss = (torch.sin(x) / x).sum()", [0.0, 3.0], PLAIN, "is 0: 0 / 0"),
]
IDS = [f"{case.source} at {case.x}" for case in CASES]


def whole(case: Case) -> str:
    """The program of a case, with its leaf and its backward."""
    return f"{HEAD}x = torch.tensor({case.x}, requires_grad=True)\n{case.program}\nloss.backward()\n"


def spelled(element: tuple[int, ...]) -> str:
    """An element as sentences have it."""
    return f"[{', '.join(map(str, element))}]"


def equal_elsewhere(before: torch.Tensor, after: torch.Tensor) -> None:
    """The gradient is finite, and as it was wherever it was finite and more than a spoilt 0."""
    assert bool(after.isfinite().all())
    known = before.isfinite()
    apart = (before - after)[known].abs()
    scale = before[known].abs().max() if known.any() else 1.0
    moved = int((apart > 1e-4 * scale).sum())
    assert moved <= before.numel() // 2


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_an_expression_is_told_its_cause_and_mended(case):
    finding = found(case.source, ("x", str(case.x)))
    assert (finding.name, finding.severity) == (case.name, "warning")
    assert any(case.said in line for line in finding.cause), finding.cause
    assert case.element == () or any(
        spelled(case.element) in line for line in (finding.sentence, *finding.cause)
    )
    before = of_expression(case.source, leaf(case.x))
    assert finding.fix
    for fix in finding.fix:
        assert fix.ran
        assert fix.passed
        equal_elsewhere(before, of_expression(fix.program, leaf(case.x)))


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_program_is_told_the_same_and_mended_in_its_place(case):
    program = whole(case)
    finding = found(program)
    assert finding.name == case.name
    assert any(re.sub(r"`\d", "`", case.said) in line for line in finding.cause) or case.name in (LOG, OVER)
    before = by_python(program)
    assert finding.fix
    for fix in finding.fix:
        assert fix.passed
        assert fix.text.startswith("line ")
        equal_elsewhere(before, by_python(fix.program))


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
@pytest.mark.parametrize(
    "source",
    [
        "sqrt(x).sum()",
        "log(x).sum()",
        "where(x>0, sqrt(x), 0).sum()",
        "(x**0.5).sum()",
        "(x/x.norm(dim=0)/x).sum()",
    ],
)
def test_other_dtypes_are_told_alike(source, dtype):
    finding = found(source, ("x", "[0.,4.]"), dtype=dtype)
    assert finding.fix
    kind = getattr(torch, dtype)
    before = of_expression(source, leaf([0.0, 4.0], kind))
    for fix in finding.fix:
        after = of_expression(fix.program, leaf([0.0, 4.0], kind))
        assert bool(after.isfinite().all())
        assert after[1] == before[1] or bool(before[1].isnan())


def test_what_has_no_rewrite_is_said_to_have_none():
    for source, x in (("x*inf*0", "1."), ("linalg.svd(x)[0].sum()", "eye(2)")):
        finding = found(source, ("x", x))
        assert finding.fix == ()
        assert finding.cause[-1].startswith("no rewrite is known")


def test_infinities_of_both_signs_that_meet_are_told():
    finding = found("((x-x.mean())/x.std()).sum()", ("x", "[2.,2.,2.]"))
    assert finding.cause[-1] == "`x` gets -inf + inf + 0 = nan at [0]"


def test_the_numbers_of_the_product_stand_in_the_evidence():
    finding = found("where(x>0, sqrt(x), 0).sum()", ("x", "[4.,0.]"))
    assert finding.evidence["product"] == {
        "node": "SqrtBackward0", "text": "sqrt(x)", "operand": "x", "index": [1], "input": "0",
        "arriving": "0", "factor": "inf", "made": "nan",
    }  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        "x.norm()", "cdist(x[None],x[None]).sum()", "atan2(x,x).sum()", "sqrt(relu(x)).sum()",
        "softmax(x.masked_fill(x<1,-inf),0).max()", "where(x>0, x, 0*x).sum()", "F.normalize(x,dim=0).sum()",
        "x.masked_fill(x>0,-inf).exp().sum()", "logsumexp(x.masked_fill(x>1,-inf),0)", "x.abs().sum()",
    ],
)  # fmt: skip
def test_look_alikes_are_silent(source):
    report = explore(Source(source), [("x", "[0.,1.,2.]")])
    assert not [each for each in report.findings if each.code == "AGX502"]
