"""Programs written at random come to the same in agx as in Python.

AGX_SAME=20000 runs so many, other ones each time; without it the same ones are run at each go.
"""

import os
from collections.abc import Iterator

import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings

from tests.same.programs import programs, shortened
from tests.same.runs import compared

ASKED = os.environ.get("AGX_SAME")


@pytest.fixture(scope="module", autouse=True)
def _on_one_thread() -> Iterator[None]:
    """Tensors of a few elements gain nothing from threads, and wait for them on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def kind(found: list[str]) -> str:
    """What the first difference is of: the end, what is printed, a name, a refusal."""
    return found[0].partition(" ")[0] if found else ""


@settings(
    max_examples=int(ASKED or 2000),
    derandomize=ASKED is None,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(programs())
def test_a_generated_program_comes_to_the_same(text: str) -> None:
    found = compared(text)
    if found:
        text = shortened(text, lambda fewer: kind(compared(fewer)) == kind(found))
        pytest.fail("\n".join([text, *compared(text)]))
