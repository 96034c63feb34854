"""Two gradients of one leaf side by side: as they are, and as they are when something is repaired."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch

from autograd_cli.diagnose import drawing

_SAME = 1e-5
"""Gradients that are no further apart than this, of their size, are the same."""

Tensors = Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class Both:
    """One backward, made both ways: what it starts from, and the gradients of the leaves by name."""

    root: tuple[float, float] | None
    gradients: dict[str, tuple[torch.Tensor, torch.Tensor]]

    @property
    def off(self) -> dict[str, float]:
        """How far apart the gradients of each leaf are at most."""
        return {name: float((one - other).abs().max()) for name, (one, other) in self.gradients.items()}

    def lines(self, repaired: str) -> tuple[str, ...]:
        """The gradients under each other, as they are and as they are when `repaired`."""
        rows = [row for name, pair in self.gradients.items() for row in _rows(name, *pair, repaired)]
        return drawing.columns(rows)


def both(root: tuple[float | None, float | None], one: Tensors, two: Tensors) -> Both:
    """The gradients of one backward made both ways, those that differ."""
    pairs = {name: (one[name], two[name]) for name in one if name in two}
    differing = {name: pair for name, pair in pairs.items() if not _alike(*pair)}
    first, second = root
    return Both(None if first is None or second is None else (first, second), differing)


def _alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape:
        return True  # nothing can be said of them
    one, other = one.double(), other.double()
    sizes = torch.stack([one, other]).abs()
    scale = float(sizes[sizes.isfinite()].max()) if bool(sizes.isfinite().any()) else 0.0
    return bool(torch.allclose(one, other, rtol=_SAME, atol=_SAME * scale, equal_nan=True))


def _rows(name: str, one: torch.Tensor, other: torch.Tensor, repaired: str) -> Iterator[tuple[str, str, str]]:
    difference = (one - other).abs()
    if one.numel() <= 4:
        yield f"gradient of {name}", _numbers(one), "as it is"
        yield "", _numbers(other), repaired
        return
    worst = int(difference.nan_to_num(0.0).argmax())
    place = [int(index) for index in torch.unravel_index(torch.tensor(worst), tuple(one.shape))]
    yield f"gradient of {name}", f"{float(one.flatten()[worst]):.5g}", f"at {place} as it is"
    yield "", f"{float(other.flatten()[worst]):.5g}", repaired


def _numbers(values: torch.Tensor) -> str:
    return " ".join(f"{float(value):.5g}" for value in values.flatten())
