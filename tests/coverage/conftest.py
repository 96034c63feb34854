"""What the tests of this room share: a source run, and what is asked of its report.

The room holds what tutorials on tensors and autograd teach, seen through one expression
at a time. Each table is one topic: a source, what it is run on, and the figures that a
person must see.
"""

import pytest

from autograd_cli.explore import Options, explore
from autograd_cli.report import Verdict

DEFAULTS = Options()


def _run(source, options=DEFAULTS, **bound):
    return explore(source, list(bound.items()), options)


@pytest.fixture
def run():
    """Give the report of a source: `run("x*y", x="2", y="[1,2]")`; Options may come second."""
    return _run


@pytest.fixture
def found():
    """Give the only finding of a code in a report."""

    def one(report, code):
        (finding,) = [finding for finding in report.findings if finding.code == code]
        return finding

    return one


@pytest.fixture
def gradient():
    """Give the gradient of a binding, of which all witnesses say the same."""

    def agreed(report, name):
        (of_name,) = [gradient for gradient in report.gradients if gradient.name == name]
        assert of_name.verdict is Verdict.OK
        return of_name.autograd

    return agreed


@pytest.fixture
def passes():
    """Give the report of a finding's fix, pasted; it says of itself that it was run."""

    def pasted(finding, number=0, **bound):
        fix = finding.fix[number]
        assert (fix.ran, fix.passed) == (True, True)
        return _run(fix.program, **bound)

    return pasted


@pytest.fixture
def flat():
    """Give the elements of nested tuples in their order."""

    def elements(values):
        return (
            [item for value in values for item in elements(value)] if isinstance(values, tuple) else [values]
        )

    return elements
