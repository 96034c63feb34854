"""AGX502: the first gradient that is not finite and is used, with the product that made it."""

import gc
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import get_ident
from typing import Any
from weakref import ref

import torch

from autograd_cli.diagnose.watching import diverged, products
from autograd_cli.diagnose.watching.births import Births, is_finite
from autograd_cli.diagnose.watching.common import Common
from autograd_cli.diagnose.watching.leaves import Leaves, is_leaf, node_of
from autograd_cli.diagnose.watching.mode import PLAIN, Made
from autograd_cli.diagnose.watching.products import Wrong
from autograd_cli.diagnose.watching.records import Log, Spot, Write
from autograd_cli.diagnose.watching.signals import leave
from autograd_cli.report.diagnosis import Placed

_KEY = "not finite"
_MOST_SPOTS = 10_000
_MOST_LOOKS = 2_000


@dataclass(frozen=True)
class _Pending:
    """What is told, by `make`, once its gradients are used.

    `leaves` refer weakly to those that have the gradients; where there are none, `is_loss` says that the
    leaves got finite gradients of a loss that is not. `is_usual` says that the script used such gradients
    before: where no step follows this time, it has left them out.
    """

    make: Callable[[], Placed]
    leaves: tuple[Any, ...]
    is_loss: bool
    is_usual: bool


class NonFinite:
    """Looks at the gradients that each backward leaves.

    What is a mistake is not that such a gradient is there but that it is used: a step left a leaf with
    NaN or infinity. What the script clears, mends or leaves out, as a gradient scaler does, is none. Nor
    is it left out where the script never made a step.
    """

    def __init__(self, log: Log, common: Common, leaves: Leaves) -> None:
        self.births = Births(log, common)
        self._log = log
        self._common = common
        self._found = common.found
        self._leaves = leaves
        self._thread = get_ident()
        self._stepped: set[int] = set()
        leaves.forgotten = self._stepped.discard
        self._passed: set[Spot | None] = set()
        self._has_updates = False
        self._last = self._looks = 0
        self._versions: dict[int, tuple[Any, int]] = {}
        self._pending: _Pending | None = None
        self._root: Placed | None = None

    def listen(self, made: Made) -> None:
        """Remember which leaves calls are made on, and hook the nodes whose slope can be infinite."""
        is_unseen = made.first != self._last and self._looks < _MOST_LOOKS
        self._last = made.last
        self._looks += is_unseen
        for tensor in made.tensors:
            try:
                is_met = tensor.requires_grad and (is_unseen or tensor.is_leaf)
            except RuntimeError as error:  # of a view that torch does not tell of
                leave(error)
                continue
            if is_met:
                self._meet(tensor)
        if made.function not in self.births.harmless and not self._found.has(_KEY):
            self.births.listen(made)

    def _meet(self, tensor: torch.Tensor) -> None:
        """Look at the gradients of a leaf, and of those that went into a person's own Function right before.

        The call of such a Function is none that is looked at.
        """
        if is_leaf(tensor):
            self._leaves.add(tensor)
            return
        node: Any = node_of(tensor)
        if hasattr(type(node), "_forward_cls"):
            for below, _ in node.next_functions:
                if below is not None and hasattr(below, "variable"):
                    self._leaves.add(below.variable)

    def before(self, roots: Any, spot: Spot | None) -> None:
        """A backward begins: whether what it starts from is finite."""
        if self._found.has(_KEY):
            return
        self._settle()
        self._root = None
        self.births.begin()
        self._looks = 0
        tensors = [root for root in roots if isinstance(root, torch.Tensor)]
        for root in tensors:
            if root.requires_grad:
                self._meet(root)
        is_wrong = not all(map(is_finite, tensors))
        if is_wrong and self._pending is None and not self._found.has(_KEY):
            self._root = diverged.finding(self._log, roots, spot, self._leaves.alive())

    def after(self, roots: Any, spot: Spot | None) -> None:
        """A backward has left gradients."""
        if self._found.has(_KEY):
            return
        wrong = self._wrong()
        make = self._made(wrong, roots, spot) if wrong or self._root else None
        self._wait(make, wrong, spot, self._root is not None and not wrong)

    def passed(self, gradients: Sequence[Any], roots: Any, spot: Spot | None) -> None:
        """A backward gave its gradients back, and left none."""
        if self._found.has(_KEY):
            return
        is_wrong = self._root is not None or not all(map(is_finite, gradients))
        is_known = self._root is not None or bool(self.births.found)
        self._wait(self._made([], roots, spot) if is_wrong and is_known else None, [], spot, False)

    def _made(self, wrong: Sequence[Wrong], roots: Any, spot: Spot | None) -> Callable[[], Placed]:
        """How the finding is made, once it stands."""
        root, births = self._root, self.births.found
        if root is not None:
            return lambda: root
        masked = products.is_masked(births, roots)
        return lambda: products.finding(births, wrong, masked, spot)

    def _wait(
        self, make: Callable[[], Placed] | None, wrong: Sequence[Wrong], spot: Spot | None, is_loss: bool
    ) -> None:
        """Keep a finding until its gradients are used."""
        leaves = tuple(each.leaf for each in wrong)
        if make is not None and self._pending is None:
            was_passed = self._has_updates and spot in self._passed
            is_usual = any(id(leaf()) in self._stepped for leaf in leaves) if leaves else was_passed
            self._pending = _Pending(make, leaves, is_loss, is_usual)
            self._common.waiting[self.end] = None
        elif make is None and len(self._passed) < _MOST_SPOTS:
            self._passed.add(spot)
        self._root = None

    def refused(self, roots: Any, spot: Spot | None) -> None:
        """Torch itself refused a gradient, as it does where it is asked to detect anomalies."""
        if self.births.found:
            births, masked = self.births.found, products.is_masked(self.births.found, roots)
            self._found.add(_KEY, lambda: products.finding(births, [], masked, spot))

    def used(self, leaves: Iterable[torch.Tensor]) -> None:
        """A step was made: one that left NaN or infinity used the gradients that wait."""
        if self._found.has(_KEY):
            return
        self._stepped.update(id(leaf) for leaf in leaves if self._leaves.has(leaf))
        pending = self._pending
        if pending is not None and (pending.is_loss or not all(map(is_finite, leaves))):
            self._confirm()

    def wrote(self, tensor: torch.Tensor, write: Write) -> None:
        """A tensor was written to: whether leaves are, so that gradients which are passed on are used so."""
        self._has_updates |= write.untracked or (tensor.requires_grad and is_leaf(tensor))

    def end(self, is_failed: bool) -> None:
        """The script has ended, with an error or not: what nothing used stands where nothing left it out.

        A thread that goes on after that may still use it.
        """
        pending = self._pending
        if pending is None or self._goes_on() or (pending.leaves and self._is_cleared(pending)):
            return
        is_left_out = pending.is_usual and not is_failed and (bool(pending.leaves) or not self._is_broken())
        if not (is_left_out or _scaler()):
            self._confirm()

    def _goes_on(self) -> bool:
        """Whether this is of another thread than the one that asks, which has not ended."""
        return self._thread != get_ident() and self._thread in sys._current_frames()

    def _settle(self) -> None:
        """A new backward begins: forget what was cleared or mended, or came to nothing."""
        pending = self._pending
        if pending is None:
            return
        if pending.is_loss or (pending.leaves and self._is_cleared(pending)):
            self._drop()
        elif not pending.leaves and self._is_broken():
            self._confirm()
        elif not pending.leaves and pending.is_usual:
            self._drop()

    def _drop(self) -> _Pending | None:
        """What was waited for, no longer."""
        pending, self._pending = self._pending, None
        self._common.waiting.pop(self.end, None)
        return pending

    def _is_cleared(self, pending: _Pending) -> bool:
        """Whether the gradients were cleared or mended, or went with leaves that the script had used."""
        alive = [leaf for each in pending.leaves if (leaf := each()) is not None]
        is_clear = all(self._leaves.has(leaf) and is_finite(self._leaves.gradient(leaf)) for leaf in alive)
        return is_clear and (bool(alive) or pending.is_usual)

    def _confirm(self) -> None:
        pending = self._drop()
        if pending is not None:
            self._found.add(_KEY, pending.make)
            self.births.is_over = True

    def _is_broken(self) -> bool:
        """Whether a leaf holds NaN or infinity."""
        return not all(map(is_finite, self._leaves.alive()))

    def _wrong(self) -> list[Wrong]:
        """The gradients that this backward made other than finite, by their leaves."""
        changed, leaves = [], self._leaves.alive()
        for leaf in leaves:
            grad = self._leaves.gradient(leaf)
            if grad is None:
                continue
            seen, version = self._versions.get(id(leaf), (_gone, 0))
            if seen() is not grad or version != grad._version:
                self._versions[id(leaf)] = (ref(grad), grad._version)
                changed.append((leaf, grad))
        if len(self._versions) > 2 * len(leaves) + 100:
            kept = {id(leaf) for leaf in leaves}
            self._versions = {key: seen for key, seen in self._versions.items() if key in kept}
        if not changed or _all_finite([grad for _, grad in changed]):
            return []
        return [products.wrong(leaf, grad) for leaf, grad in changed if not is_finite(grad)]


def _gone() -> None:
    """What refers to nothing."""


def _all_finite(gradients: list[torch.Tensor]) -> bool:
    """Whether all are finite: by their sums, together, and one by one where these are not."""
    groups: dict[Any, list[torch.Tensor]] = {}
    for each in gradients:
        if type(each) in PLAIN and each.layout is torch.strided and each.is_floating_point():
            groups.setdefault((each.dtype, each.device), []).append(each.sum())
        elif not is_finite(each):
            return False
    return all(is_finite(torch.stack(sums)) for sums in groups.values()) or all(map(is_finite, gradients))


def _scaler() -> bool:
    """Whether the script scales its losses, so that an infinite gradient only makes a step be skipped."""
    return any(
        issubclass(type(each), torch.amp.GradScaler) and each.is_enabled() for each in gc.get_objects()
    )
