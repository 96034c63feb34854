"""NaN and infinity where more than one expression is looked at: functions, rounds, overflow, under masks."""

import pytest
import torch

from autograd_cli.explore import explore
from autograd_cli.lang.source import Source
from tests.diagnose.nan import HEAD, LOG, MASKED, OVER, PLAIN, SQRT, by_python, found, leaf, of_expression


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


def test_a_backward_from_several_values_has_the_rewrites_of_one():
    head = f"{HEAD}x = torch.tensor([0.0, 4.0], requires_grad=True)\na = torch.sqrt(x).sum()\nb = x.sum()\n"
    several, one = found(head + "torch.autograd.backward([a, b])\n"), found(head + "(a + b).backward()\n")
    assert [fix.text for fix in several.fix] == [fix.text for fix in one.fix]
    assert several.fix


ROOTED = """import torch
x = torch.tensor([1.0, 0.0, 4.0], requires_grad=True)
y = torch.tensor([2.0, 3.0, 1.0], requires_grad=True)
a = torch.where(x > 0, torch.sqrt(x), x)
b = y**2 * x
"""

SEVERAL_ROOTS = [
    "torch.autograd.backward([a.sum(), b.sum()])",
    "torch.autograd.backward((b.sum(), a.sum()))",
    "torch.autograd.backward([a, b], [torch.ones(3), torch.full((3,), 2.0)])",
    "torch.autograd.backward(tensors=[a.sum(), b.sum()])",
    "(a.sum() + b.sum()).backward()",
    "one, two = a.sum(), b.mean()\none.backward()\ntwo.backward()",
    "two, one = b.mean(), a.sum()\ntwo.backward()\none.backward()",
    "g = torch.autograd.grad([a.sum(), b.sum()], [x, y])",
    "total = 0\nfor part in (a, b):\n    total = total + part.sum()\ntotal.backward()",
    "parts = []\nparts.append(a.sum())\nparts.append(b.sum())\ntorch.autograd.backward(parts)",
]


@pytest.mark.parametrize("backward", SEVERAL_ROOTS)
def test_a_rewrite_is_found_from_whatever_roots_a_backward_starts(backward):
    finding = found(ROOTED + backward + "\n")
    assert finding.name == MASKED
    first = finding.fix[0]
    assert "torch.sqrt(torch.where(x > 0, x, 1.))" in first.program
    assert first.passed
    assert "every element of the gradient is finite" in first.text
    if "grad(" not in backward:
        assert bool(by_python(first.program).isfinite().all())
        assert torch.equal(by_python(first.program)[::2], by_python(ROOTED + backward)[::2])


def test_of_two_roots_that_are_both_no_numbers_both_are_mended():
    source = ROOTED.replace("y**2 * x", "torch.where(x > 0, torch.log(x), y)")
    finding = found(source + "torch.autograd.backward([a.sum(), b.sum()])\n")
    program = finding.fix[0].program
    assert "sqrt(torch.where(x > 0, x, 1.))" in program
    assert "log(torch.where(x > 0, x, 1.))" in program
    assert bool(by_python(program).isfinite().all())


def test_a_loop_with_several_roots_is_told_by_the_round_in_which_it_began(explore_report):
    source = """import torch
x = torch.tensor([1.0, 0.0, 4.0], requires_grad=True)
y = torch.tensor([2.0, 3.0, 1.0], requires_grad=True)
opt = torch.optim.SGD([x, y], lr=0.1)
for i in range(4):
    opt.zero_grad()
    a = torch.where(x > 0, torch.sqrt(x), x).sum()
    b = (y**2).sum()
    torch.autograd.backward([a, b])
    opt.step()
"""
    findings = [each for each in explore_report(source).findings if each.code == "AGX502"]
    assert [each.name for each in findings] == [MASKED]
    assert "`[a, b]` is 3 in round 1, nan in round 2; `x` is no number from round 2 on" in findings[0].cause
