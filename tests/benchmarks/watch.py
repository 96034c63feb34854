"""How much longer training takes while it is watched, against the same loop alone in the same process.

Run as `python tests/benchmarks/watch.py [TURNS]`. Steps of 5 ms and more: a multilayer perceptron, the
same on arrays of NumPy that share their memory with its tensors, a small convolutional network, a small
transformer, an LSTM cell over 50 words and one that is written out, each with SGD and with AdamW. Alone
and watched take turns, each the best of TURNS (5) loops; what counts is the time that the process kept
the processor, on one thread.
Ends with 1 when a ratio is above its bound, a step is shorter than it should be, or anything is found.
"""

import contextlib
import itertools
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy
import torch
from torch import nn

from autograd_cli.diagnose.watching.watch import Watch

BOUND = 1.5
SHORTEST = 0.005
"""Seconds that a step takes at least where the bound is promised."""
STEPS = 20
WARM = 3

Batch = tuple[torch.Tensor, torch.Tensor]


def perceptron() -> tuple[nn.Module, Callable[[], Batch]]:
    """Eight layers of 256."""
    return _layers(), lambda: _classes(torch.randn(192, 256), 10)


def _layers() -> nn.Module:
    layers = [layer for _ in range(8) for layer in (nn.Linear(256, 256), nn.ReLU())]
    return nn.Sequential(*layers, nn.Linear(256, 10))


def array_batches() -> tuple[nn.Module, Callable[[], Batch]]:
    """The same layers on batches that are views of an array of NumPy."""
    x, y = _arrays()
    starts = itertools.cycle(range(0, len(x) - 192, 16))
    return _layers(), lambda: (x[(start := next(starts)) : start + 192], y[start : start + 192])


def array_whole() -> tuple[nn.Module, Callable[[], Batch]]:
    """The same layers on all of an array of NumPy in every step."""
    batch = _arrays()
    return _layers(), lambda: batch


def _arrays() -> Batch:
    """As much as the watch takes prints of: 256 KiB."""
    x, y = numpy.random.default_rng(0).standard_normal((256, 256), "float32"), numpy.arange(256) % 10
    return torch.from_numpy(x), torch.from_numpy(y)


def convolutional() -> tuple[nn.Module, Callable[[], Batch]]:
    """Three convolutions with batch norm, dropout and a head."""
    blocks: list[nn.Module] = []
    for before, after in ((3, 16), (16, 32), (32, 32)):
        blocks += [nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(inplace=True)]
    net = nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Dropout(), nn.Linear(128, 10))
    return net, lambda: _classes(torch.randn(24, 3, 16, 16), 10)


class Transformer(nn.Module):
    """Two encoder layers over an embedding."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
        self.embedding, self.encoder = nn.Embedding(100, 64), nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(64, 10)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """The scores of each text."""
        return self.head(self.encoder(self.embedding(words))).mean(1)


def transformer() -> tuple[nn.Module, Callable[[], Batch]]:
    """Batches of twelve texts of 32 words."""
    return Transformer(), lambda: _classes(torch.randint(100, (12, 32)), 10)


class Recurrent(nn.Module):
    """A cell of some width over the words of a text, one after the other."""

    def __init__(self, cell: nn.Module, width: int) -> None:
        super().__init__()
        self.cell, self.head, self.width = cell, nn.Linear(width, 10), width

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """The scores of each text."""
        h = c = words.new_zeros(len(words), self.width)
        for t in range(words.shape[1]):
            h, c = self.cell(words[:, t], (h, c))
        return self.head(h)


def recurrent() -> tuple[nn.Module, Callable[[], Batch]]:
    """Batches of sixteen texts of 50 words."""
    return Recurrent(nn.LSTMCell(64, 256), 256), lambda: _classes(torch.randn(16, 50, 64), 10)


class Gates(nn.Module):
    """An LSTM cell written out: 14 calls of torch a word, each on little."""

    def __init__(self) -> None:
        super().__init__()
        self.of_word, self.of_state = nn.Linear(64, 512), nn.Linear(128, 512)

    def forward(self, word: torch.Tensor, state: Batch) -> Batch:
        """The next state."""
        h, c = state
        i, f, g, o = (self.of_word(word) + self.of_state(h)).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


def recurrent_by_hand() -> tuple[nn.Module, Callable[[], Batch]]:
    """The same batches."""
    return Recurrent(Gates(), 128), lambda: _classes(torch.randn(16, 50, 64), 10)


def _classes(x: torch.Tensor, count: int) -> Batch:
    return x, torch.randint(count, (len(x),))


def loop(make: Callable[[], Any], optimizer: Any, is_watched: bool) -> float:
    """Seconds that a step keeps the processor."""
    torch.manual_seed(0)
    with Watch() if is_watched else contextlib.nullcontext() as watch:
        net, data = make()
        opt = optimizer(net.parameters(), lr=1e-3)
        for number in range(WARM + STEPS):
            if number == WARM:
                start = time.process_time()
            x, y = data()
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
        taken = time.process_time() - start
    if watch is not None and (watch.trouble or watch.findings()):
        sys.exit(f"{watch.trouble}{watch.findings()}")
    return taken / STEPS


def main() -> int:
    """Print the ratios; the exit status says whether all are within their bound."""
    turns, fine = int(sys.argv[1]) if len(sys.argv) > 1 else 5, True
    torch.set_num_threads(1)
    loops = (perceptron, array_batches, array_whole, convolutional, transformer, recurrent, recurrent_by_hand)
    for make in loops:
        for optimizer in (torch.optim.SGD, torch.optim.AdamW):
            times = [(loop(make, optimizer, False), loop(make, optimizer, True)) for _ in range(turns)]
            alone, watched = (min(each) for each in zip(*times, strict=True))
            ratio = watched / alone
            fine &= ratio <= BOUND and alone >= SHORTEST
            what = f"{make.__name__}, {optimizer.__name__}"
            print(f"{what}: a step of {alone * 1e3:.1f} ms takes {ratio:.2f} times as long (at most {BOUND})")
    return int(not fine)


if __name__ == "__main__":
    sys.exit(main())
