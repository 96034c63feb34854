"""AGX502: the first gradient that is not finite and is used, with the product that made it."""

import gc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import ref

import torch

from autograd_cli.diagnose.watching import diverged, products
from autograd_cli.diagnose.watching.births import Births, is_finite
from autograd_cli.diagnose.watching.found import Found
from autograd_cli.diagnose.watching.mode import PLAIN, Made
from autograd_cli.diagnose.watching.products import Wrong
from autograd_cli.diagnose.watching.records import Log, Spot
from autograd_cli.report.diagnosis import Placed

_KEY = "not finite"
_MOST_LEAVES = 200_000


@dataclass(frozen=True)
class _Pending:
    """A finding that stands once its gradients are used; `order` tells what the script asked since."""

    finding: Placed
    leaves: tuple[Any, ...]
    order: int


class NonFinite:
    """Looks at the gradients that each backward leaves.

    A gradient that the script looks for and throws away, as a gradient scaler does, is none of its faults.
    """

    def __init__(self, log: Log, found: Found, failed: Any) -> None:
        self.births = Births(log, failed)
        self._asked = -1
        self._log = log
        self._found = found
        self._leaves: dict[int, Any] = {}
        self._versions: dict[int, tuple[Any, int]] = {}
        self._pending: _Pending | None = None
        self._root: Placed | None = None

    def listen(self, made: Made) -> None:
        """Remember which leaves calls are made on, and hook the nodes whose slope can be infinite."""
        if self._found.has(_KEY):
            return
        for tensor in made.tensors:
            if tensor.is_leaf and tensor.requires_grad:
                self.add(tensor)
        self.births.listen(made)

    def add(self, leaf: torch.Tensor) -> None:
        """Look at the gradients of a leaf."""
        key = id(leaf)
        if key not in self._leaves and len(self._leaves) < _MOST_LEAVES:
            self._leaves[key] = ref(leaf, lambda _: self._leaves.pop(key, None))

    def asked(self) -> None:
        """The script asks itself whether something is finite."""
        self._asked = self._log.next()

    def before(self, roots: Any, spot: Spot | None) -> None:
        """A backward begins: whether what it starts from is finite."""
        if self._found.has(_KEY):
            return
        self._settle()
        self.births.begin()
        is_wrong = any(isinstance(root, torch.Tensor) and not is_finite(root) for root in roots)
        if is_wrong and self._pending is None:
            self._root = diverged.finding(self._log, roots, spot, self._alive())

    def after(self, roots: Any, spot: Spot | None) -> None:
        """A backward has left gradients."""
        if self._found.has(_KEY):
            return
        wrong = self._wrong()
        made = self._root
        if made is None and wrong:
            made = products.finding(self.births.found, wrong, roots, spot)
        self._wait(made, [leaf for leaf, _ in wrong])

    def passed(self, gradients: Sequence[Any], roots: Any, spot: Spot | None) -> None:
        """A backward gave its gradients back, and left none."""
        if self._found.has(_KEY) or (self._root is None and all(map(is_finite, gradients))):
            return
        made = self._root
        if made is None and self.births.found:
            made = products.finding(self.births.found, [], roots, spot)
        self._wait(made, [])

    def _wait(self, made: Placed | None, leaves: Sequence[torch.Tensor]) -> None:
        """Keep a finding until its gradients are used."""
        if made is not None and self._pending is None:
            self._pending = _Pending(made, tuple(map(ref, leaves)), self._log.next())
        self._root = None

    def refused(self, roots: Any, spot: Spot | None) -> None:
        """Torch itself refused a gradient, as it does where it is asked to detect anomalies."""
        if self.births.found:
            births = self.births.found
            self._found.add(_KEY, lambda: products.finding(births, [], roots, spot))

    def step(self, leaves: Iterable[torch.Tensor]) -> None:
        """A step uses gradients: what is not finite among them is a mistake."""
        if self._found.has(_KEY):
            return
        for leaf in leaves:
            self.add(leaf)
        pending = self._pending
        if pending is None:
            return
        if not all(is_finite(leaf.grad) for leaf in leaves):
            self._confirm()
        elif self._are_finite():
            if not pending.leaves and not self._is_handled():  # finite gradients of a loss that is not
                self._confirm()
            self._pending = None

    def end(self) -> None:
        """The script has ended."""
        self._settle()
        if self._pending is not None and not self._is_handled():
            self._confirm()

    def _settle(self) -> None:
        """A new backward, or the end: what is still there was not thrown away."""
        if self._pending is None or not self._pending.leaves:
            return
        if self._are_finite() and self._is_handled():
            self._pending = None
        elif not _scaler():
            self._confirm()

    def _confirm(self) -> None:
        pending, self._pending = self._pending, None
        if pending is not None:
            self._found.add(_KEY, lambda: pending.finding)
            self.births.is_over = True
            self._leaves.clear()

    def _is_handled(self) -> bool:
        pending = self._pending
        return pending is not None and (self._asked > pending.order or _scaler())

    def _are_finite(self) -> bool:
        """Whether the gradients of the pending finding were cleared or mended."""
        leaves = (leaf() for leaf in self._pending.leaves) if self._pending else ()
        return all(is_finite(leaf.grad) for leaf in leaves if leaf is not None)

    def _alive(self) -> list[torch.Tensor]:
        return [leaf for each in list(self._leaves.values()) if (leaf := each()) is not None]

    def _wrong(self) -> list[tuple[torch.Tensor, Wrong]]:
        """The leaves whose gradients this backward made other than finite."""
        changed = []
        for leaf in self._alive():
            grad = leaf.grad
            if grad is None:
                continue
            seen, version = self._versions.get(id(leaf), (_gone, 0))
            if seen() is not grad or version != grad._version:
                self._versions[id(leaf)] = (ref(grad), grad._version)
                changed.append((leaf, grad))
        if len(self._versions) > 2 * len(self._leaves) + 100:
            self._versions = {key: self._versions[key] for key in self._leaves if key in self._versions}
        if not changed or _all_finite([grad for _, grad in changed]):
            return []
        return [(leaf, products.wrong(leaf, grad)) for leaf, grad in changed if not is_finite(grad)]


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
