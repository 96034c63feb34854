"""What is known of one gradient when its grounds are gathered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.known import Evidence
from autograd_cli.gradients.numeric import Numeric
from autograd_cli.report import Gradient


@dataclass(frozen=True)
class Seen:
    """A judged gradient with the bench it was judged on: `given` is autograd's, in the run's dtype.

    `evidence` is what was judged, by component first; `arrived` are the cotangents by node, where
    these were watched.
    """

    bench: Bench
    gradient: Gradient
    given: torch.Tensor
    slopes: Numeric | None = None
    evidence: Sequence[Evidence] = ()
    arrived: Mapping[Any, tuple[torch.Tensor | None, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The leaf's name."""
        return self.gradient.name

    @property
    def leaf(self) -> torch.Tensor:
        """The leaf itself."""
        return self.bench.run.leaves[self.name]
