"""No rule breaks on operands of a shape, dtype or device that nobody thought of."""

import random

import pytest
import torch

from autograd_cli import catalogue
from autograd_cli.errors import AgxError
from autograd_cli.lang.functions import FUNCTIONS

SHAPES = [
    (),
    (1,),
    (2,),
    (3,),
    (2, 3),
    (3, 2),
    (3, 3),
    (0,),
    (2, 3, 4),
    (4, 1),
    (3, 1, 5),
    (1, 1, 8, 8),
    (2, 0),
]
DTYPES = [torch.float32] * 5 + [torch.float64, torch.int64, torch.bool, torch.float16, torch.complex64]
EXAMPLES = [f.example for f in FUNCTIONS if f.example is not None and f.example.bindings]


def operand(draw: random.Random) -> torch.Tensor:
    """A tensor of any kind, now and then without data."""
    made = torch.arange(-3.0, 5.0).repeat(16)[: torch.Size(draw.choice(SHAPES)).numel()]
    made = made.reshape(draw.choice([s for s in SHAPES if torch.Size(s).numel() == made.numel()]))
    return made.to(draw.choice(DTYPES)).to("meta" if draw.random() < 0.1 else "cpu")


@pytest.mark.parametrize("seed", range(8))
def test_every_failure_gets_a_finding_with_a_page(seed, why_it_failed):
    draw, seen = random.Random(seed), set()
    for example in draw.sample(EXAMPLES, 100):
        values = {name: operand(draw) for name in example.bindings}
        try:
            found = why_it_failed(example.source, **values)
        except AgxError:
            continue
        for finding in found:
            assert finding.name in catalogue.page(finding.code).names
            assert finding.sentence.endswith(".") or finding.code == "AGX307"
            seen.add(finding.code)
    assert len(seen) > 5
