"""Programs that change in place what a backward needs: who did it, by which name, and all who needed it."""

import re

import pytest
import torch

from autograd_cli.diagnose.programs import failure_of

HEAD = """import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
"""

TEN = {
    "direct": """
y = torch.exp(x)  # needed result
z = y * y  # needed input
y.mul_(2)  # changed y
z.sum().backward()
""",
    "view": """
h = x.sigmoid()  # needed result
flat = h.view(-1)  # through a view of `h`
loss = (h ** 2).sum()  # needed input
flat.add_(1)  # changed h
loss.backward()
""",
    "slice": """
h = x.tanh()  # needed result
top = h[:2]  # through a view of `h`
out = h.exp()
top.zero_()  # changed h
out.sum().backward()
""",
    "detach alias": """
h = x.exp()  # needed result
alias = h.detach()  # through the memory of `h`, outside the graph
loss = (h * x).sum()  # needed input
alias[0] = 7.  # changed h
loss.backward()
""",
    "out": """
buf = torch.zeros(3)
y = x * buf  # needed input
torch.add(torch.ones(3), torch.ones(3), out=buf)  # changed buf
y.sum().backward()
""",
    "augmented": """
h = x.sqrt()  # needed result
skip = h  # through the same tensor as `h`
a = skip.sigmoid()
skip += a  # changed h
h.sum().backward()
""",
    "loop": """
h = x * 2
total = 0.
for i in range(3):
    h.mul_(2)  # changed h
    total = total + (h ** 2).sum()  # needed input, in 2 rounds
total.backward()
""",
    "parameter": """
w = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)  # through which steps it
first, second = (x * w).sum(), (w ** 2).sum()  # needed input
first.backward(retain_graph=True)
optimizer.step()  # changed w
second.backward()
""",
    "saved output": """
s = torch.softmax(x, 0)  # needed result
t = s.log()  # needed input
s[0] = 0.  # changed s
t.sum().backward()
""",
}

VARIANTS = {
    "after a call in place": """
y = x * 2
y.relu_()  # needed result
y[0] = 5.  # changed y
y.sum().backward()
""",
    "transposed": """
h = x.exp()  # needed result
loss = (h ** 2).sum()  # needed input
h.view(1, 3).T.mul_(2)  # changed h  # through a view of `h`
loss.backward()
""",
    "two changes": """
h = x.exp()  # needed result
loss = (h ** 2).sum()  # needed input
h[0] = 5.  # changed h
h[1:] *= 2
loss.backward()
""",
    "in a function": """
def centred(t):
    t.sub_(t.mean())  # changed h
    return t
h = x.exp()  # needed result
g = h.sin()  # needed input
k = centred(h)  # through hands over `h` as `t`
(g * k).sum().backward()
""",
    "inside an expression": """
h = x.exp()  # needed result
loss = (h.sin() + h.add_(1)).sum()  # needed input  # changed h
loss.backward()
""",
    "no_grad": """
w = torch.ones(3, requires_grad=True)
loss = (x * w).sum()  # needed input
with torch.no_grad():
    for p in [w]:  # through gives it the name `p`
        p -= 0.1  # changed w
loss.backward()
""",
    "in an argument": """
y = x.sigmoid()  # needed result
z = torch.nn.functional.dropout(y, 0.5, inplace=True)  # changed y
z.sum().backward()
""",
    "several branches": """
h = x.exp()  # needed result
a = h.sin()  # needed input
b = h.cos()  # needed input
d = h.sigmoid() * h  # needed input
h.clamp_(max=2)  # changed h
((a * b).sum() + d.sum()).backward()
""",
    "for another backward": """
h = x.exp()  # needed result
a = h.sin().sum()  # needed input
b = h.cos().sum()  # also input
h.zero_()  # changed h
a.backward()
""",
    "copied into": """
buf = torch.zeros(3)
total = 0.
for i in range(2):
    buf.copy_(torch.full((3,), float(i)))  # changed buf
    total = total + (x * buf).sum()  # needed input
total.backward()
""",
    "cells of a table": """
out = torch.zeros(3)
for i in range(3):
    out[i] = x[i] * out.sum()
    out[i] = out[i] ** 2  # needed input, in 3 rounds  # changed out
out.sum().backward()
""",
    "an item of two": """
h = x.exp()  # needed result
a, b = h[:1], h[1:]  # through a view of `h`
loss = (a * b).sum()  # needed input  # needed input
a *= 2  # changed h
loss.backward()
""",
    "both operands": """
a, b = x * 2, x * 3
loss = (a * b).sum()  # needed input  # needed input
a += 1  # changed a
b += 1
loss.backward()
""",
    "torch.autograd.grad": """
h = x.exp()  # needed result
y = (h * h).sum()  # needed input
h[0] = 1.  # changed h
g, = torch.autograd.grad(y, x)
""",
}

_MARK = re.compile(r"# (changed|needed|through|also) ([^#]+)")


def marks(source: str) -> list[tuple[int, str, str]]:
    """The line, the kind and the words of each mark."""
    return [
        (number, found[1], found[2].strip())
        for number, line in enumerate(source.splitlines(), start=1)
        for found in _MARK.finditer(line)
    ]


@pytest.mark.parametrize("name", [*TEN, *VARIANTS])
def test_the_guilty_statement_the_way_to_it_and_all_victims_are_named(program, name):
    source = HEAD + {**TEN, **VARIANTS}[name]
    made = program(source)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        raise made.failure.error
    (finding,) = failure_of(made)
    told = [line for line in finding.cause if "in torch's words" not in line]
    for line, kind, words in marks(source):
        if kind == "changed":
            assert finding.sentence.startswith(f"`{words}` is changed in place on line {line}")
            assert finding.evidence["changed"] == line
            assert any(each.startswith("changed") and f"line {line} " in each for each in told)
        else:
            wanted = words if kind == "through" else f"kept its {words}"
            rows = [each for each in told if each.startswith(kind) and f"line {line} " in each]
            assert any(wanted in each for each in rows), (line, kind, words, told)
    named = sorted(line for line, kind, _ in marks(source) if kind == "needed")
    assert sorted(finding.evidence["needed"]) == sorted(set(named))
    assert bool(finding.evidence["through"]) == any(kind == "through" for _, kind, _ in marks(source))
    assert all(fix.ran and fix.passed for fix in finding.fix)
    assert finding.fix


@pytest.mark.parametrize("name", [*TEN, *VARIANTS])
def test_without_the_change_nothing_fails(program, name):
    source = HEAD + {**TEN, **VARIANTS}[name]
    lines = source.splitlines()
    guilty = next(line for line, kind, _ in marks(source) if kind == "changed") - 1
    if lines[guilty].lstrip() != lines[guilty] or "=" in lines[guilty].split("#")[0].replace("out=", ""):
        (finding,) = failure_of(program(source))
        lines = finding.fix[0].program.splitlines()
    else:
        del lines[guilty]
    assert program("\n".join(lines)).failure is None


def test_a_repair_of_a_parameter_does_not_make_it_another_tensor(program):
    """`w = w - 0.1` under no_grad would run too, and train nothing from then on."""
    (finding,) = failure_of(program(HEAD + VARIANTS["no_grad"]))
    (fix,) = finding.fix
    assert fix.text == "lines 6 to 8 moved behind line 9, the backward"
    again = program(fix.program)
    assert again.failure is None
    assert again.names["w"].value.requires_grad
    assert torch.equal(again.names["w"].value, torch.full((3,), 0.9))


EXPRESSIONS = [
    ("exp(x).mul_(x).sum()", "`exp(x)`", "exp(x).mul(x).sum()"),
    ("sigmoid(x).add_(1).sum()", "`sigmoid(x)`", "sigmoid(x).add(1).sum()"),
    ("tanh(x)[:1].mul_(2).sum()", "`tanh(x)`", "tanh(x)[:1].mul(2).sum()"),
    ("softmax(x, 0).clamp_(min=0.5).log().sum()", "`softmax(x, 0)`", None),
    (
        "(x.sqrt() * F.relu(x.sqrt(), inplace=True)).sum()",
        "`x.sqrt()`",
        "(x.sqrt() * F.relu(x.sqrt())).sum()",
    ),
]


@pytest.mark.parametrize(("source", "kept", "repaired"), EXPRESSIONS)
def test_an_expression_that_changes_what_its_own_backward_needs(explore_bound, source, kept, repaired):
    report = explore_bound(source, x="[1.,2.]")
    finding = report.findings[0]
    assert finding.code == "AGX409"
    assert finding.sentence.startswith(f"{kept} is changed in place by `")
    assert finding.sentence.endswith(f", after {kept} kept it for backward.")
    assert [fix.passed for fix in finding.fix] == [True]
    if repaired:
        assert finding.fix[0].program == repaired
    assert explore_bound(finding.fix[0].program, x="[1.,2.]").status == 0


def test_a_backward_that_agx_makes_is_explained_as_one_of_the_program(explore_bound):
    report = explore_bound(f"{HEAD}h = x.exp()\ny = h * h\nh += 1\nz = y.sum()\n")
    assert (report.findings[0].code, report.findings[0].evidence["needed"]) == ("AGX409", [3, 4])


def test_a_leaf_that_an_expression_writes_into_is_left_alone_by_the_repair(explore_bound):
    for source, repaired in (
        ("F.relu(x, inplace=True).sum()", "F.relu(x).sum()"),
        ("x.mul_(2).sum()", "x.mul(2).sum()"),
    ):
        finding = explore_bound(source, x="[1.,2.]").findings[0]
        assert (finding.code, finding.fix[0].program, finding.fix[0].passed) == ("AGX412", repaired, True)


def test_all_who_kept_a_value_that_data_changed_are_named(explore_bound):
    report = explore_bound(
        f"{HEAD}h = x.exp()\na = h.sin()\nloss = (h * x).sum() + a.sum()\nh.data.mul_(3)\nloss.backward()\n"
    )
    (finding,) = report.findings
    assert (finding.code, finding.evidence["changed"], finding.evidence["needed"]) == ("AGX415", 6, [3, 4, 5])
    assert "after lines 3, 4 and 5 kept it for backward" in finding.sentence
    assert finding.cause[:5] == (
        "changed  line 6  h.data.mul_(3)  (3,) float32",
        "through  line 6  h.data          the memory of `h`, outside the graph",
        "needed   line 3  x.exp()         ExpBackward0 kept its result",
        "needed   line 4  h.sin()         SinBackward0 kept its input",
        "needed   line 5  h * x           MulBackward0 kept its input",
    )
