"""Each backward that the script starts, looked at before and after torch runs it."""

import sys
from collections.abc import Callable
from typing import Any

import torch

from autograd_cli.diagnose.watching import graphs, mutated
from autograd_cli.diagnose.watching.accumulated import Accumulation
from autograd_cli.diagnose.watching.arrays import Arrays
from autograd_cli.diagnose.watching.broadcasts import Broadcasts
from autograd_cli.diagnose.watching.found import Found
from autograd_cli.diagnose.watching.frames import locate
from autograd_cli.diagnose.watching.mode import PLAIN, apart, is_profiled, is_transformed
from autograd_cli.diagnose.watching.nonfinite import NonFinite
from autograd_cli.diagnose.watching.records import Log, Spot
from autograd_cli.diagnose.watching.stack import Stack

_BACKWARDS = 4
"""Backwards after which a write that torch did not see is no longer looked at."""

_MOST_COUNTS = 10_000


class Backwards:
    """What stands in for the start of torch's engine."""

    def __init__(
        self,
        log: Log,
        stack: Stack,
        found: Found,
        accumulation: Accumulation,
        nonfinite: NonFinite,
        broadcasts: Broadcasts,
        arrays: Arrays,
        failed: Callable[[BaseException], None],
    ) -> None:
        self.is_over = False
        self._log = log
        self._stack = stack
        self._found = found
        self._accumulation = accumulation
        self._nonfinite = nonfinite
        self._broadcasts = broadcasts
        self._arrays = arrays
        self._failed = failed
        self._orders: list[int] = [0]
        self._counts: dict[Any, int] = {}

    def around(self, engine: Callable[..., Any]) -> Callable[..., Any]:
        """The engine's start with what is looked at around it."""

        def _engine_run_backward(roots: Any, *args: Any, **kwargs: Any) -> Any:
            if self.is_over or is_profiled() or is_transformed() or not all(map(_is_plain, roots)):
                return engine(roots, *args, **kwargs)
            accumulates = bool(kwargs.get("accumulate_grad"))
            spot = self._guarded(self._before, roots, accumulates)
            try:
                with self._stack.on():
                    result = engine(roots, *args, **kwargs)
            except RuntimeError as error:
                self._guarded(self._refused, roots, error, spot)
                raise
            self._guarded(self._after, roots, None if accumulates else result, spot)
            self._guarded(self._arrays.ended, len(args) > 1 and bool(args[1]))
            return result

        return _engine_run_backward

    def _guarded(self, act: Callable[..., Any], *args: Any) -> Any:
        try:
            with apart():
                return act(*args)
        except Exception as error:
            self._failed(error)
            return None

    def _before(self, roots: Any, accumulates: bool) -> Spot | None:
        spot, _ = locate(sys._getframe(3))
        self._unseen(roots, spot)
        if accumulates:
            self._accumulation.before()
        self._nonfinite.before(roots, spot)
        self._broadcasts.before(roots)
        return spot

    def _after(self, roots: Any, gradients: Any, spot: Spot | None) -> None:
        """After the engine: `gradients` are what it gave back, None where it added them to the leaves."""
        if gradients is None:
            self._accumulation.after(spot)
            self._nonfinite.after(roots, spot)
        else:
            self._nonfinite.passed(gradients, roots, spot)

    def _refused(self, roots: Any, error: BaseException, spot: Spot | None) -> None:
        if graphs.CHANGED in str(error):
            self._found.add(("changed", spot), lambda: mutated.failed(self._log, roots, error))
        else:
            self._nonfinite.refused(roots, spot)

    def _unseen(self, roots: Any, spot: Spot | None) -> None:
        """Look for values that were changed where torch does not see it, less often where none was found."""
        log = self._log
        for write in self._arrays.changed(None):
            log.wrote(write)
        self._orders = [*self._orders[-_BACKWARDS:], log.next()]
        while log.untracked and log.untracked[0].order < self._orders[0]:
            log.untracked.popleft()
        if not log.untracked:
            return
        writes = list(log.untracked)
        key = (spot, writes[-1].spot)
        if not self._found.has(("unseen", *key)) and self._is_due(key):
            self._found.add(("unseen", *key), lambda: mutated.unseen(log, roots, writes, spot))

    def _is_due(self, key: Any) -> bool:
        """Whether this is the first, second, fourth, eighth … time that `key` is met."""
        if len(self._counts) > _MOST_COUNTS:
            self._counts.clear()
        met = self._counts[key] = self._counts.get(key, 0) + 1
        return met & (met - 1) == 0


def _is_plain(root: Any) -> bool:
    """Whether a root is an edge, or a tensor of torch's own class: what others do is theirs."""
    return type(root) in PLAIN or not isinstance(root, torch.Tensor)
