"""Each usual way to a NaN: cause and element named, and a rewrite that is finite and equal elsewhere.

Every case is run as one expression and as a program whose operands have names of their own; the
rewrites are run here again by Python and torch, and compared.
"""

import math
import re
from typing import NamedTuple

import pytest
import torch

from autograd_cli.explore import Options, explore
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding

HEAD = "import math\nimport torch\nimport torch.nn.functional as F\ninf = math.inf\n"
SQRT, LOG, MASKED, OVER, PLAIN, VALUE = (
    "nan-grad-sqrt-at-zero", "nan-grad-log-at-zero", "nan-grad-masked-branch", "value-overflow",
    "nan-gradient", "nan-value",
)  # fmt: skip


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


def leaf(value: object, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """The leaf of a case."""
    return torch.tensor(value, dtype=dtype, requires_grad=True)


def whole(case: Case) -> str:
    """The program of a case, with its leaf and its backward."""
    return f"{HEAD}x = torch.tensor({case.x}, requires_grad=True)\n{case.program}\nloss.backward()\n"


def by_python(program: str) -> torch.Tensor:
    """The gradient of x that Python and torch give for a program."""
    names: dict[str, object] = {}
    exec(program, names)
    gradient: torch.Tensor = names["x"].grad
    return gradient


def of_expression(source: str, x: torch.Tensor) -> torch.Tensor:
    """The gradient of x that Python and torch give for an expression of the language."""
    names = {**vars(torch), "F": torch.nn.functional, "x": x, "inf": math.inf, "max": max, "abs": torch.abs}
    (gradient,) = torch.autograd.grad(eval(source, names).sum(), x)
    return gradient


def found(source: str, *bindings: tuple[str, str], **options: str) -> Finding:
    """The one finding of this kind in a report."""
    report = explore(Source(source), bindings, Options(**options))
    assert report.status in (0, 1)
    (finding,) = [each for each in report.findings if each.code == "AGX502"]
    return finding


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


def test_a_function_of_the_program_is_mended_where_it_is_written():
    program = (
        "def length(v):\n    return torch.sqrt((v ** 2).sum())\n"
        "x = torch.zeros(3, requires_grad=True)\nlength(x).backward()\n"
    )
    finding = found(program)
    assert finding.fix[0].text.startswith("line 2:  return v.norm()")
    after = by_python("import torch\n" + finding.fix[0].program)
    assert torch.equal(after, torch.zeros(3))


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


@pytest.mark.parametrize(
    ("lines", "said", "mended"),
    [
        (
            "h = x.half()\nloss = (h ** 2).sum()",
            "where `h` is 300: float16 ends at 6.6e+04",
            "(h.float() ** 2)",
        ),
        ("h = (x * 300).half()\nloss = h.sum()", "is 90000: float16 ends at 6.6e+04", "(x * 300).bfloat16()"),
        (
            "loss = (x.half() * 200).sum()",
            "`(x.half() * 200).sum()` is inf: float16",
            "((x.half() * 200).float()).sum()",
        ),
    ],
)
def test_a_value_that_overflows_is_told_though_its_gradient_is_finite(lines, said, mended):
    program = f"{HEAD}x = torch.tensor([300.0, 310.0], requires_grad=True)\n{lines}\nloss.backward()\n"
    finding = found(program)
    assert (finding.name, finding.severity) == (OVER, "warning")
    assert finding.sentence == "`loss` is infinite: its gradients, though finite, are of no number."
    assert said in finding.cause[0]
    assert mended in finding.fix[0].program
    names: dict[str, torch.Tensor] = {}
    exec(finding.fix[0].program, names)
    assert bool(names["loss"].isfinite())


def test_a_division_by_a_plain_0_is_no_overflow():
    finding = found("(x/0).sum()", ("x", "[1.,2.]"))
    assert (finding.name, finding.fix) == (PLAIN, ())
    assert "ends at" not in " ".join(finding.cause)


def test_a_statement_that_works_in_place_is_given_a_new_value():
    program = (
        f"{HEAD}x = torch.tensor([0.0, 1.0], requires_grad=True)\nh = x * 1\nh.sqrt_()\nh.sum().backward()\n"
    )
    finding = found(program)
    assert "h = h.clamp(min=1e-12).sqrt()\n" in finding.fix[0].program
    assert torch.equal(by_python(finding.fix[0].program), torch.tensor([0.0, 0.5]))


def test_a_kink_that_is_hit_is_a_note_in_a_program_too():
    program = (
        "x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)\ny = torch.relu(x).sum()\ny.backward()\n"
    )
    (finding,) = explore(Source(program), []).findings
    assert (finding.code, finding.severity) == ("AGX503", "note")
    assert finding.sentence.startswith("1 element of `x` stands exactly at a kink")


LOOP = """\
x = torch.tensor(1.0, requires_grad=True)
opt = torch.optim.SGD([x], lr=0.5)
for i in range(6):
    opt.zero_grad()
    loss = torch.sqrt((x - 3.0) ** 2)
    loss.backward()
    opt.step()
"""


def test_of_a_training_the_round_is_explained_in_which_it_began():
    finding = found(LOOP)
    assert (finding.name, finding.line) == (SQRT, 5)
    assert finding.sentence == "The gradient of `x` is NaN, where `x` is 3."
    assert "(x - 3.0) ** 2  arriving inf × local factor 0 = nan" in finding.cause
    assert "in round 5: every gradient before it is finite" in finding.cause
    assert "loss = (x - 3.0).abs()\n" in finding.fix[0].program
    names: dict[str, torch.Tensor] = {}
    exec(HEAD + finding.fix[0].program, names)
    assert names["x"].item() == 3.0


def test_a_training_that_grows_is_still_told_to_take_smaller_steps():
    program = LOOP.replace("torch.sqrt((x - 3.0) ** 2)", "(9 * x) ** 2").replace("range(6)", "range(60)")
    finding = found(program)
    assert finding.name in ("gradient-diverged", OVER)
    assert "lr=0.005" in finding.fix[0].program


def test_a_loss_that_is_infinite_is_told_though_its_gradient_is_0():
    program = "x = torch.tensor([-1.0, 2.0], requires_grad=True)\nloss = torch.log(torch.relu(x)).sum()\n"
    finding = found(program + "loss.backward()\n")
    assert finding.sentence == "`loss` is infinite: its gradients, though finite, are of no number."
    assert (finding.name, finding.severity) == (LOG, "warning")
    names = {**vars(torch), "torch": torch}
    exec(finding.fix[0].program, names)
    assert bool(names["loss"].isfinite())


@pytest.mark.parametrize(
    ("source", "why", "mended"),
    [
        (
            "x.sqrt().where(x>0, 0.).sum()",
            "takes its other branch",
            "where(x>0, x, 1.).sqrt().where(x>0, 0.).sum()",
        ),
        (
            "sqrt(x).masked_fill(x<=0, 0.).sum()",
            "passes over it",
            "sqrt(where(x<=0, 1., x)).masked_fill(x<=0, 0.).sum()",
        ),
        ("sqrt(x)[x>0].sum()", "passes over it", "sqrt(where(x>0, x, 1.))[x>0].sum()"),
        (
            "where(x<=0, 0., (2*x).log()).sum()",
            "takes its other branch",
            "where(x<=0, 0., (where(x<=0, 1., 2*x)).log()).sum()",
        ),
    ],
)
def test_each_way_to_mask_is_the_same_trap(source, why, mended):
    finding = found(source, ("x", "[0.,4.]"))
    assert finding.name == MASKED
    assert any(why in line and line.endswith("0 × inf is no 0 but NaN") for line in finding.cause)
    assert finding.fix[0].program == mended
    before, after = of_expression(source, leaf([0.0, 4.0])), of_expression(mended, leaf([0.0, 4.0]))
    assert (after[0].item(), after[1]) == (0.0, before[1])


def test_a_mask_that_is_multiplied_in_is_told():
    finding = found("(sqrt(x)*m).sum()", ("x", "[0.,4.]"), ("m", "tensor([0.,1.])"))
    assert (finding.name, len(finding.fix)) == (SQRT, 2)
    assert finding.cause[-1] == "0 arrives since `m` is 0 there, and 0 × inf is no 0 but NaN"


def test_of_a_backward_from_several_values_no_rewrite_is_tried_and_that_is_said():
    program = (
        f"{HEAD}x = torch.tensor([0.0, 4.0], requires_grad=True)\na = torch.sqrt(x).sum()\nb = x.sum()\n"
    )
    finding = found(program + "torch.autograd.backward([a, b])\n")
    assert finding.cause[-1] == "no rewrite was tried, since this backward starts from several values"
