"""Each backward that a thread starts, looked at before and after torch runs it."""

import sys
from collections.abc import Callable
from typing import Any

from autograd_cli.diagnose.watching import graphs, mutated
from autograd_cli.diagnose.watching.frames import locate
from autograd_cli.diagnose.watching.mode import apart
from autograd_cli.diagnose.watching.parts import Parts
from autograd_cli.diagnose.watching.records import Spot

_BACKWARDS = 4
"""Backwards after which a write that torch did not see is no longer looked at."""

_MOST_COUNTS = 10_000


class Backwards:
    """What is looked at around the start of torch's engine."""

    def __init__(self, parts: Parts) -> None:
        self._common = parts.common
        self._found = parts.common.found
        self._log = parts.log
        self._accumulation = parts.accumulation
        self._nonfinite = parts.nonfinite
        self._broadcasts = parts.broadcasts
        self._arrays = parts.arrays
        self._orders: list[int] = [0]
        self._counts: dict[Any, int] = {}

    def run(self, start: Callable[[], Any], roots: Any, keeps: bool, accumulates: bool) -> Any:
        """What `start` gives back, which starts the engine.

        The graph of `roots` stays where the engine `keeps` it, and it adds gradients to leaves where it
        `accumulates`.
        """
        spot = self._guarded(self._before, roots, accumulates)
        try:
            result = start()
        except RuntimeError as error:
            self._guarded(self._refused, roots, error, spot)
            raise
        self._guarded(self._after, roots, None if accumulates else result, spot)
        self._guarded(self._arrays.ended, keeps)
        return result

    def _guarded(self, act: Callable[..., Any], *args: Any) -> Any:
        try:
            with apart():
                return act(*args)
        except Exception as error:
            self._common.failed(error)
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
            self._found.add(("changed", spot), lambda: mutated.failed(self._log, roots, error, spot))
        else:
            self._nonfinite.refused(roots, spot)

    def _unseen(self, roots: Any, spot: Spot | None) -> None:
        """Look for values that were changed where torch does not see it, less often where none was found."""
        log = self._log
        for write in self._arrays.changed(None):
            log.writes.add(write)
        self._orders = [*self._orders[-_BACKWARDS:], log.next()]
        writes = log.writes.untracked(self._orders[0])
        if not writes:
            return
        key = (spot, writes[-1].spot)
        if not self._found.has(("unseen", *key)) and self._is_due(key):
            self._found.add(("unseen", *key), lambda: mutated.unseen(log, roots, writes, spot))

    def _is_due(self, key: Any) -> bool:
        """Whether this is the first, second, fourth, eighth … time that `key` is met."""
        if len(self._counts) > _MOST_COUNTS:
            self._counts.clear()
        met = self._counts[key] = self._counts.get(key, 0) + 1
        return met & (met - 1) == 0
