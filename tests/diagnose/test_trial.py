"""A repair is run as the source was run: on the same device, under the same limits."""

import pytest

from autograd_cli.diagnose.trial import tried
from autograd_cli.lang.parse import TextLimits
from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.run.settings import Settings


def passed(made: object, program: str, settings: Settings) -> bool | None:
    run = made("x", x="2.", settings=settings)
    finding = Finding("AGX307", "torch-error", Severity.ERROR, "It fails.", fix=(Fix("so", program),))
    return tried(run, finding).fix[0].passed


@pytest.mark.parametrize(
    ("program", "settings"),
    [
        ("zeros(3000000)+x", Settings(max_memory=1 << 20)),
        ("sin(sin(x))", Settings(max_steps=2)),
        ("x*tensor([0.]*5).sum()", Settings(max_items=4)),
        ("sin(x)", Settings(text=TextLimits(max_text=3))),
    ],
)
def test_a_repair_is_run_under_the_limits_of_the_run(made: object, program: str, settings: Settings) -> None:
    assert passed(made, program, Settings()) is True
    assert passed(made, program, settings) is False
