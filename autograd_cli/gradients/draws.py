"""The random factors near 1 by which the samples of a run are moved.

Every sample asks for the same factors in the same order, so that what the first one asked
for is made for all the others at once.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from random import Random
from typing import Any

import numpy as np
import torch

KEPT = 1_000
"""Numbers a sample up to which they are kept for the next program: making them takes longer."""

MANY = 20_000
"""Numbers a sample up to which the factors of all samples are made together."""

_POOL = 1 << 18
"""Numbers of which larger samples are made."""
_ROW = _POOL // 8
WIDE = _ROW // 2
"""Numbers of one factor up to which those of all samples can be rows of the pool."""
TOGETHER = 400_000
"""Numbers a sample up to which all samples are made together, from rows of the pool."""

Use = tuple[torch.Size, float]
"""The shape of a factor that was asked for and its distance from 1."""


class Draw:
    """Random factors near 1, handed out one tensor after the other.

    `known` are the factors that will be asked for, `uses` by what shape and distance.
    """

    def __init__(
        self, numbers: torch.Tensor, uses: Sequence[Use] = (), known: Sequence[torch.Tensor] = ()
    ) -> None:
        self.numbers = numbers
        self.used = 0
        self.made: list[Use] = []
        self.uses = uses
        self.known = known

    def factor(self, shape: torch.Size, eps: float) -> torch.Tensor:
        """A tensor 1 + eps times standard normal numbers, of the given shape."""
        use, place, start = (shape, eps), len(self.made), self.used
        self.made.append(use)
        self.used += shape.numel()
        if place < len(self.known):
            if self.uses[place] == use:
                return self.known[place]
            self.known = ()
        return self.numbers[start : self.used].view(shape).mul(eps).add_(1)

    def offset(self, shape: torch.Size) -> torch.Tensor:
        """What a difference that the run had counts as, of the given shape."""
        return self.factor(shape, 1.0)

    def skip(self, shape: torch.Size) -> None:
        """Pass over what would move nothing."""
        self.made.append((shape, 1.0))
        self.used += shape.numel()

    def number(self, value: float, eps: float) -> Any:
        """A Python float moved."""
        return value * float(self.factor(torch.Size(()), eps))


class PoolDraw(Draw):
    """Factors from one pool of numbers, each beginning somewhere else: to draw as many is dear."""

    def __init__(self, sample: int) -> None:
        super().__init__(_pool())
        self.starts = Random(sample)

    def factor(self, shape: torch.Size, eps: float) -> torch.Tensor:
        """A tensor 1 + eps times numbers that are nearly as good as drawn anew, of the given shape."""
        pool = _scaled_pool(eps)
        count, start = shape.numel(), self.starts.randrange(_POOL)
        if count <= _POOL:
            return pool[start : start + count].view(shape)
        return pool[start : start + _POOL].repeat(-(-count // _POOL))[:count].view(shape)

    def skip(self, shape: torch.Size) -> None:
        """Pass over what would move nothing."""


def draws(count: int, samples: int) -> Iterator[Draw]:
    """The random numbers of one sample after the other, the same ones in every call."""
    if count > MANY:
        yield from map(PoolDraw, range(samples))
        return
    numbers = (_numbers if count <= KEPT else _numbers.__wrapped__)(count, samples)
    first = Draw(numbers[0])
    yield first
    known = _factors(numbers[1:], first.made)
    for place in range(1, samples):
        yield Draw(numbers[place], first.made, [made[place - 1] for made in known])


@cache
def _pool() -> torch.Tensor:
    """Standard normal numbers, twice one after the other so that they can be read from anywhere."""
    return next(_rows(_POOL, 1)).repeat(2)


def _factors(numbers: torch.Tensor, uses: Sequence[Use]) -> list[tuple[torch.Tensor, ...]]:
    """The factors of each use, for every row of numbers."""
    sizes = [shape.numel() for shape, _ in uses]
    if not sizes or sum(sizes) > numbers.shape[1]:
        return []
    each = [eps for (_, eps), size in zip(uses, sizes, strict=True) for _ in range(size)]
    scales = torch.tensor(each, dtype=torch.float64)
    moved = numbers[:, : len(each)].mul(scales).add_(1)
    rows = len(numbers)
    parts = torch.split(moved, sizes, 1)
    return [part.view(rows, *shape).unbind() for part, (shape, _) in zip(parts, uses, strict=True)]


def _rows(count: int, samples: int) -> Iterator[torch.Tensor]:
    """Standard normal numbers, (count,) a sample."""
    generator = torch.Generator().manual_seed(0)
    return (torch.randn(count, generator=generator, dtype=torch.float64) for _ in range(samples))


@lru_cache(maxsize=64)
def _numbers(count: int, samples: int) -> torch.Tensor:
    """The numbers of all samples, (samples, count)."""
    return torch.stack(list(_rows(count, samples)))


def lane_factors(uses: Sequence[Use], count: int, samples: int, still: int = 0) -> Iterator[torch.Tensor]:
    """The factors of each use for all samples at once, (1 + samples + still, …).

    Those of the first are 1, as are those of so many `still` lanes in the end, which few numbers
    may have. Of `count` numbers they are those that `draws` gives. They are not to be changed.
    """
    if count > KEPT:
        return iter(_lanes_of_pool(tuple(uses), samples))
    return iter(_lanes_of_few(tuple(uses), count, samples, still))


@lru_cache(maxsize=64)
def _lanes_of_few(uses: tuple[Use, ...], count: int, samples: int, still: int) -> list[torch.Tensor]:
    """The factors of few numbers, which the next program may ask for as well."""
    sizes = [shape.numel() for shape, _ in uses]
    scales = torch.from_numpy(np.repeat([eps for _, eps in uses], sizes))
    moved = _lane_numbers(count, samples)[:, : sum(sizes)].mul(scales).add_(1)
    if still:
        moved = torch.cat((moved, moved.new_ones(still, moved.shape[1])))
    parts = torch.split(moved, sizes, 1)
    return [part.view(len(moved), *shape) for part, (shape, _) in zip(parts, uses, strict=True)]


@lru_cache(maxsize=4)
def _lanes_of_pool(uses: tuple[Use, ...], samples: int) -> list[torch.Tensor]:
    """The same from the pool, laid out in rows that are read from anywhere on: no memory of their own."""
    starts = Random(0)
    return [pooled(shape.numel(), eps, samples, starts).view(1 + samples, *shape) for shape, eps in uses]


def pooled(count: int, eps: float, samples: int, starts: Random) -> torch.Tensor:
    """Factors for all samples of the pool, the first of which are 1: (1 + samples, count)."""
    start = starts.randrange(_ROW - count)
    return _rows_of_pool(eps).as_strided((1 + samples, count), (_ROW, 1), start)


@lru_cache(maxsize=256)
def pooled_anew(count: int, eps: float, samples: int, number: int) -> torch.Tensor:
    """As `pooled`, from where chance has those of that number begin."""
    return pooled(count, eps, samples, Random(number))


@lru_cache(maxsize=2)
def _rows_of_pool(eps: float) -> torch.Tensor:
    """A row of ones, and the pool as factors."""
    return torch.cat((torch.ones(_ROW, dtype=torch.float64), _scaled_pool(eps)[:_POOL]))


@lru_cache(maxsize=2)
def _scaled_pool(eps: float) -> torch.Tensor:
    """The pool as factors."""
    return torch.add(1.0, _pool(), alpha=eps)


@lru_cache(maxsize=64)
def _lane_numbers(count: int, samples: int) -> torch.Tensor:
    """The numbers of `draws` behind a row of zeros, (1 + samples, count)."""
    return torch.stack([torch.zeros(count, dtype=torch.float64), *_rows(count, samples)])
