"""Backwards that come through a whole quotient: torch has no derivative of it, and says no more."""

import pytest

HEAD = "import torch\nw = torch.tensor([3.0, 2.5], requires_grad=True)\n"

FAILS = {
    "an operator": ("q = w // 2\nq.sum().backward()", "w // 2", "line 3:  q = w / 2, the plain division"),
    "of a number": ("q = 7 // w\nq.sum().backward()", "7 // w", "line 3:  q = 7 / w, the plain division"),
    "a method": (
        "q = w.floor_divide(2)\nq.sum().backward()",
        "w.floor_divide(2)",
        "line 3:  q = w.div(2), the plain division",
    ),
    "a function": (
        "q = torch.floor_divide(w * 3, 2)\n(q**2).mean().backward()",
        "torch.floor_divide(w * 3, 2)",
        "line 3:  q = torch.div(w * 3, 2), the plain division",
    ),
    "in place": (
        "h = w * 3\nh //= 2\nh.sum().backward()",
        "h // 2",
        "line 4:  h = h / 2, the plain division",
    ),
    "beside another way": (
        "loss = (w - 2 * (w // 2)).sum()\nloss.backward()",
        "w // 2",
        "line 3:  loss = (w - 2 * ((w // 2).detach())).sum(), the whole number as a constant",
    ),
    "in a function, in a loop": (
        "def rate(t):\n    return t // 2\nfor _ in range(2):\n    y = (rate(w)**2).sum()\n    y.backward()",
        "t // 2",
        "line 4:  return t / 2, the plain division",
    ),
}


@pytest.mark.parametrize("name", FAILS)
def test_a_backward_through_a_whole_quotient_names_it_with_repairs_that_were_run(explore_report, name):
    source, text, fix = FAILS[name]
    report = explore_report(HEAD + source)
    (finding,) = report.findings
    assert (finding.code, finding.severity, report.status) == ("AGX507", "error", 1)
    assert finding.sentence.startswith(f"`{text}` rounds down to a whole number")
    assert finding.fix[0].text == fix
    assert all(each.ran and each.passed for each in finding.fix)
    for each in finding.fix:
        assert explore_report(each.program).findings == ()


def test_an_expression_is_repaired_by_what_leaves_it_a_gradient(explore_bound):
    finding = explore_bound("(w // 2).sum()", w="[3.,2.5]").findings[0]
    assert (finding.code, finding.severity) == ("AGX507", "error")
    assert [fix.program for fix in finding.fix] == [
        "(w / 2).sum()",
        "((w / 2 + (w // 2 - w / 2).detach())).sum()",
    ]
    finding = explore_bound("(w - 2 * (w // 2)).sum()", w="[3.,2.5]").findings[0]
    assert finding.fix[0].program == "(w - 2 * ((w // 2).detach())).sum()"


ROUNDED = ['torch.div(w, 2, rounding_mode="floor")', "w.div(2, rounding_mode='trunc')"]


@pytest.mark.parametrize("quotient", ROUNDED)
def test_a_quotient_told_to_round_has_a_gradient_of_0_everywhere(explore_report, quotient):
    (finding,) = explore_report(f"{HEAD}q = {quotient}\nq.sum().backward()").findings
    assert (finding.code, finding.severity) == ("AGX403", "warning")
    assert finding.sentence.startswith(f"`w` gets a gradient of 0 everywhere: `{quotient}`")
    assert finding.fix[0].passed
    assert explore_report(finding.fix[0].program).findings == ()


SILENT = ["w / 2", "w % 2", "w.div(2, rounding_mode=None)", "w - (w // 2).detach() * 2", "w * (len(w) // 2)"]


@pytest.mark.parametrize("quotient", SILENT)
def test_what_has_a_slope_is_left_alone(explore_report, quotient):
    assert explore_report(f"{HEAD}q = {quotient}\nq.sum().backward()").findings == ()
