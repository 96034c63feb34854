"""A write that torch does not see into what a call kept: a warning with its amount, whatever cancels."""

import pytest

from autograd_cli.explore import explore
from autograd_cli.lang.source import Source

HEAD = "import torch\nv = torch.tensor([4., 9., 16.], requires_grad=True)\n"


def told(lines):
    """The findings on what is changed where torch does not see it."""
    return [each for each in explore(Source(HEAD + lines), ()).findings if each.code == "AGX415"]


@pytest.mark.parametrize(
    "lines",
    [
        "r = v.sqrt()\narr = r.detach().numpy()\narr[1] = -7.\ne = (r * r).sum()\ne.backward()\n",
        "r = v.sqrt()\nr.data[1] = -7.\ne = (r**2).sum()\ne.backward()\n",
    ],
)
def test_a_result_that_was_kept_and_is_changed_is_a_warning_though_the_change_cancels(lines):
    (finding,) = told(lines)
    assert finding.severity == "warning"
    assert "the gradient of v is [1, 1, 1] and should be [1, 0, 1]: 1 off at [1]" in finding.cause
    assert finding.fix
    assert all(fix.passed for fix in finding.fix if fix.program)


def test_a_result_that_nothing_kept_is_a_note_still():
    (finding,) = told("r = v * 2\nr.data[1] = -7.\ne = (r + 1).sum()\ne.backward()\n")
    assert finding.severity == "note"
