"""Several tensors changed in place, each with those who kept it; and repairs that compute the same."""

import pytest
import torch

from autograd_cli.diagnose.programs import failure_of
from autograd_cli.explore import explore
from autograd_cli.lang.source import Source

HEAD = "import torch\nimport torch.nn.functional as F\nw = torch.tensor([0.3, 1.2], requires_grad=True)\n"

BOTH = "{} is changed in place on line {}, after {} kept it for backward; and {} on line {}, after {} did."

SEVERAL = {
    "two results": (
        "p = w.exp()\nq = w.sin().sigmoid()\nloss = p.sum() + q.sum()\nq *= 3\np -= 1\nloss.backward()",
        ("`q`", "7, by `q *= 3`", "line 5", "`p`", "8, by `p -= 1`", "line 4"),
        [("q", [7], [5]), ("p", [8], [4])],
    ),
    "both factors of one product": (
        "p = w * 2\nq = w + 1\nloss = (p * q).sum()\np.neg_()\nq.zero_()\nloss.backward()",
        ("`p`", "7, by `p.neg_()`", "line 6", "`q`", "8, by `q.zero_()`", "line 6"),
        [("p", [7], [6]), ("q", [8], [6])],
    ),
    "by one statement of a function": (
        """def shift(these):
    for one in these:
        one -= 1
p = w.exp()
q = w.sqrt()
loss = (p * q).sum()
shift([p, q])
loss.backward()""",
        (
            *("`p`", "6 through `one`, by `one -= 1`", "lines 7 and 9"),
            *("`q`", "6 through `one`, by `one -= 1`", "lines 8 and 9"),
        ),
        [("p", [6], [7, 9]), ("q", [6], [8, 9])],
    ),
    "by one statement": (
        "p = w.exp()\nq = w.tanh()\nloss = p.sum() + q.sum()\ns, t = p.add_(1), q.mul_(2)\nloss.backward()",
        ("`p`", "7, by `p.add_(1)`", "line 4", "`q`", "7, by `q.mul_(2)`", "line 5"),
        [("p", [7], [4]), ("q", [7], [5])],
    ),
    "places in a list": (
        """held = [w.exp(), w.tanh()]
loss = held[0].sum() + held[1].sum()
held[1] += 1
held[0] *= 2
loss.backward()""",
        ("`held[1]`", "6, by `held[1] += 1`", "line 4", "`held[0]`", "7, by `held[0] *= 2`", "line 4"),
        [("held[1]", [6], [4]), ("held[0]", [7], [4])],
    ),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_each_tensor_that_was_changed_is_told_with_those_who_kept_it(program, name):
    source, words, tensors = SEVERAL[name]
    (finding,) = failure_of(program(HEAD + source))
    assert finding.sentence == BOTH.format(*words)
    found = [(each["name"], each["changed"], each["needed"]) for each in finding.evidence["tensors"]]
    assert found == tensors
    rows = [row.split()[0] for row in finding.cause if "torch's words" not in row]
    at = [place for place, row in enumerate(rows) if row == "changed"]
    assert len(at) == len(tensors)
    assert all(row != "changed" for row in rows[at[0] + 1 : at[1]])
    assert not any("rounds" in row for row in finding.cause)
    assert finding.fix[0].passed


def test_a_tensor_that_each_round_makes_anew_is_one(program):
    source = """total = 0
for i in range(3):
    p = (w * i).exp()
    total = total + p.sum()
    p += 1
total.backward()"""
    (finding,) = failure_of(program(HEAD + source))
    assert len(finding.evidence["tensors"]) == 1
    assert next(row for row in finding.cause if row.startswith("needed")).endswith("its result, in 3 rounds")


def test_the_one_of_several_results_that_was_changed_is_named(program):
    (finding,) = failure_of(program(f"{HEAD}top, places = w.topk(1)\nplaces -= 1\ntop.sum().backward()"))
    assert finding.sentence.startswith("`places` is changed in place on line 5")
    assert finding.cause[0].endswith("(1,) int64")


def test_the_node_that_keeps_is_named(program):
    source = "m = torch.ones(2, 2)\nrow = w @ m\nm += 1\nrow.sum().backward()"
    (finding,) = failure_of(program(HEAD + source))
    (needed,) = (row for row in finding.cause if row.startswith("needed"))
    assert needed.endswith("MmBackward0 kept its input")


FIRST = {
    "a view that a later call had read": (
        "h = w.exp()\nend = h[1:]\nk = h.sin()\nend.fill_(0.5)\nloss = h.sum() + k.sum()\nloss.backward()",
        "line 4:  h = w.exp().clone(); line 6:  k = h.clone().sin()",
    ),
    "a result that a list holds too": (
        """h = w
held = []
for i in range(2):
    h = (h * 2).tanh()
    held.append(h)
    h *= 0.5
loss = sum(held).sum()
loss.backward()""",
        "line 7:  h = (h * 2).tanh().clone()",
    ),
    "a write under no_grad that the loss reads": (
        "h = w.sigmoid()\nwith torch.no_grad():\n    h += 1\nloss = (h * h).sum()\nloss.backward()",
        "line 4:  h = w.sigmoid().clone()",
    ),
    "a sum that is read twice": (
        "h = w + 1\nk = h**3\nh[0] = 2.\nloss = k.sum() + h.sum()\nloss.backward()",
        "line 6:  h = h.clone()  before it",
    ),
    "an argument in brackets": (
        "n = w.sum() + 1\nk = (w / n) ** 2 + (2 * n)\nn += 1\nloss = k.sum() + n\nloss.backward()",
        "line 6:  n = n + 1",
    ),
    "a chain of calls in place": (
        "h = w.exp()\nk = h * h\nh.mul_(3).sub_(1)\nloss = k.sum() + h.sum()\nloss.backward()",
        "line 6:  h = h.mul(3).sub(1)",
    ),
    "a chain that a name gets": (
        "h = w.exp()\nk = h * h\nm = h.mul_(3).sub_(1)\nloss = k.sum() + h.sum() + m.sum()\nloss.backward()",
        "line 6:  m = h = h.mul(3).sub(1)",
    ),
    "a place in a list": (
        """held = [w.exp(), w.cos()]
k = held[0] * held[1]
held[-1] /= 2
loss = k.sum() + held[1].sum()
loss.backward()""",
        "line 6:  held[-1] = held[-1] / 2",
    ),
    "a part of a place in a list": (
        """held = [w.exp()]
k = held[0] ** 2
held[0][1:] = 3.
loss = k.sum() + held[0].sum()
loss.backward()""",
        "line 6:  held[0] = held[0].clone()  before it",
    ),
    "a function of its own": (
        "h = w.exp()\nk = h * h\nF.hardtanh_(h, 0., 1.)\nloss = k.sum() + h.sum()\nloss.backward()",
        "line 6:  h = F.hardtanh(h, 0., 1.)",
    ),
    "two writes by one statement": (
        "p = w.exp()\nq = w.tanh()\nq, p = p.add_(1), q.mul_(2)\nloss = q.sum() + p.prod()\nloss.backward()",
        "line 6:  q, p = p.add(1), q.mul(2)",
    ),
}


@pytest.mark.parametrize("name", FIRST)
def test_the_first_repair_leaves_what_the_program_computes(program, name):
    source, words = FIRST[name]
    (finding,) = failure_of(program(HEAD + source))
    first = finding.fix[0]
    assert (first.text, first.passed) == (words, True)
    before = program(f"{HEAD}{source.removesuffix('loss.backward()')}")
    after = program(first.program)
    torch.testing.assert_close(after.names["loss"].value, before.names["loss"].value)
    assert after.names["w"].value.grad is not None


def test_the_gradient_that_a_copy_leaves_is_that_of_the_value_which_was_kept(program):
    source, _ = FIRST["a view that a later call had read"]
    (finding,) = failure_of(program(HEAD + source))
    right = "h = w.exp()\nloss = h[0] + 0.5 + h.sin().sum()\nloss.backward()"
    one, other = (program(text).names["w"].value for text in (finding.fix[0].program, HEAD + right))
    torch.testing.assert_close(one.grad, other.grad)


OTHERWISE = {
    "moved behind what read the change": (
        "h = w.exp()\nh.mul_(2)\nloss = h.sum()\nloss.backward()",
        "line 5 moved behind line 7, the backward, loss is then 4.67, not 9.34",
    ),
    "out of place where a list holds the old": (
        "h = w.tanh()\nheld = [h]\nh -= 1\nloss = held[0].sum()\nloss.backward()",
        "line 6:  h = h - 1, loss is then 1.125, not -0.875",
    ),
    "an alias of its own where nothing reads the change": (
        "h = w.exp()\nflat = h.view(-1)\nloss = h.log().sum()\nflat *= 2\nloss.backward()",
        "line 7:  flat = flat * 2, `h` is then not changed",
    ),
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_a_repair_that_computes_something_else_says_so_and_comes_later(program, name):
    source, words = OTHERWISE[name]
    (finding,) = failure_of(program(HEAD + source))
    texts = [fix.text for fix in finding.fix]
    assert words in texts[1:]
    assert " is then " not in texts[0]


PARAMETERS = {
    "data": "loss = (w**2).sum()\nw.data -= 0.1\nloss.backward()",
    "data of a cube": "loss = (w**3).sum()\nw.data.mul_(0.5)\nloss.backward()",
    "no_grad": "loss = (w**2).sum()\nwith torch.no_grad():\n    w.clamp_(0, 1)\nloss.backward()",
    "recorded": "loss = (w**2).sum()\nw += 0.1\nloss.backward()",
    "in a loop": "for i in range(2):\n    loss = (w**2).sum()\n    w.mul_(0.9)\n    loss.backward()",
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_parameter_stays_the_leaf_that_it_is_and_changes_behind_the_backward(program, name):
    findings = explore(Source(HEAD + PARAMETERS[name]), []).findings
    fixes = findings[0].fix
    assert fixes[0].passed
    for fix in fixes:
        assert "moved behind" in fix.text
        made = program(fix.program)
        assert made.failure is None
        assert made.names["w"].value.is_leaf
        assert made.names["w"].value.grad is not None


def test_a_result_that_is_detached_in_place(program):
    (finding,) = failure_of(program(f"{HEAD}h = w.tanh()\nk = (h * w).sum()\nh.detach_()\nk.backward()"))
    assert finding.code == "AGX409"
    assert finding.sentence == (
        "`h` is changed in place on line 6, by `h.detach_()`, after line 5 kept it for backward."
    )
    assert [(fix.text, fix.passed) for fix in finding.fix] == [
        ("line 6:  h = h.detach()", True),
        ("line 6 moved behind line 7, the backward", True),
    ]


def test_a_value_that_is_thrown_away_is_no_repair(program):
    (finding,) = failure_of(
        program(f"{HEAD}h = w.exp()\nparts = h.split(1)\nparts[0].mul_(2)\nh.sum().backward()")
    )
    assert finding.code == "AGX432"
    assert finding.fix[0].passed
    assert not any("parts[0].clone().mul_(2)" in fix.program for fix in finding.fix)


BEHIND = {
    "data, then a sum": ("h.data.mul_(2)\nh += 1", "note"),
    "data, then another shape": ("h.data.mul_(2)\nh.squeeze_()", "note"),
    "an alias, then an element": ("d = h.detach()\nd *= 2\nh[0] = 5.", "warning"),
    "no_grad, then a product": ("with torch.no_grad():\n    h *= 2\nh *= 3", "warning"),
}


@pytest.mark.parametrize("name", BEHIND)
def test_a_write_that_the_graph_misses_is_told_of_where_it_knows_of_a_later_one(name):
    write, severity = BEHIND[name]
    findings = explore(Source(f"{HEAD}h = w * 3\n{write}\nh.sum().backward()"), []).findings
    assert [(each.code, each.severity.value) for each in findings] == [("AGX415", severity)]


@pytest.mark.parametrize("write", ["h += 1\nh *= 3", "h[0] = 5.\nh.squeeze_()", "d = h[:1]\nd += 1\nh *= 2"])
def test_writes_that_the_graph_knows_of_are_none_of_that(write):
    assert explore(Source(f"{HEAD}h = w * 3\n{write}\nh.sum().backward()"), []).findings == ()


def test_a_detach_and_a_change_are_told_of_and_mended_together(program):
    writes = "a = w.tanh()\nb = w.tanh()\nb += 1\nc = a.square()\nloss = c.sum() + b.sum()\na.detach_()\n"
    (finding,) = failure_of(program(f"{HEAD}{writes}loss.backward()"))
    found = [(each["name"], each["changed"], each["needed"]) for each in finding.evidence["tensors"]]
    assert found == [("b", [6], [5]), ("a", [9], [7])]
    assert finding.fix[0].text == "line 6:  b = b + 1; line 9:  a = a.detach()"
    assert finding.fix[0].passed


def test_each_write_is_mended_in_its_own_way(program):
    writes = "y = w.sigmoid()\nz = y.view(2, 1)\nk = z.sum()\nz.t_()\ny.unsqueeze_(0)\ny[0] *= 2\n"
    (finding,) = failure_of(program(f"{HEAD}{writes}(k + y.sum()).backward()"))
    texts = [fix.text for fix in finding.fix if fix.passed]
    assert "line 7:  z = z.t(); line 8:  y = y.unsqueeze(0); line 9:  y = y.clone()  before it" in texts


def test_several_tensors_that_one_write_changes_behind_torchs_back_are_all_named():
    source = """p = w.exp()
q = w.tanh()
loss = p.sum() + q.sum()
for t in (p, q):
    t.data *= 2
loss.backward()"""
    finding = explore(Source(HEAD + source), []).findings[0]
    assert finding.sentence.startswith("`p` and `q` are changed on line 8 where torch does not see it")
    rows = [row for row in finding.cause if row.startswith("changed")]
    assert [row.split("t.data *= 2")[1].strip() for row in rows] == ["p (2,) float32", "q (2,) float32"]
    assert finding.fix[0].text == "lines 7 to 8 moved behind line 9, the backward"
