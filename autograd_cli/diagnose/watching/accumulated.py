"""AGX410: a step made with a gradient to which that of a step before was added."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import ref

import torch

from autograd_cli.diagnose.watching import modules
from autograd_cli.diagnose.watching.found import Found
from autograd_cli.diagnose.watching.leaves import Leaves
from autograd_cli.diagnose.watching.mode import storage_of
from autograd_cli.diagnose.watching.places import Place, place
from autograd_cli.diagnose.watching.records import Spot, Write
from autograd_cli.diagnose.watching.told import make, number
from autograd_cli.lang.source import several
from autograd_cli.report.diagnosis import Placed

_MOST = 100_000


@dataclass(slots=True)
class _Used:
    """A leaf whose gradient a step used: that tensor, and its version when it was last looked at.

    `added` is the backward that added to it since, None while none did.
    """

    leaf: Any
    grad: Any
    version: int
    step: Spot | None
    added: Spot | None = None
    norms: tuple[float, float] | None = None


class Accumulation:
    """Which gradients were used by a step and not cleared since.

    Several backwards before a step are meant to add up; a step's own gradient that is still there in the
    next step is not, unless something was done to it in between.
    """

    def __init__(self, found: Found, leaves: Leaves) -> None:
        self._found = found
        self._leaves = leaves
        self._used: dict[int, _Used] = {}
        self._storages: dict[int, int] = {}
        self._read: dict[int, Any] = {}
        self._step: Spot | None = None
        self._is_measured = False
        self.used: Callable[[Sequence[torch.Tensor]], None] = lambda leaves: None

    def step(self, leaves: Sequence[torch.Tensor], spot: Spot | None) -> None:
        """A step begins: it uses the gradients that the leaves have now."""
        self._step = spot
        for leaf in leaves:
            self._leaves.add(leaf)
        again = [used for leaf in leaves if (used := self._again(leaf)) is not None]
        if again:
            first = again[0]
            key = ("added", first.added, spot)
            self._found.add(key, lambda: _finding(first, again, spot))

    def stepped(self, leaves: Sequence[torch.Tensor]) -> None:
        """A step has ended."""
        if len(self._used) > _MOST:
            self._used.clear()
        if len(self._storages) > _MOST:
            self._storages.clear()
        for leaf in leaves:
            grad = self._leaves.gradient(leaf)
            if grad is None:
                self._used.pop(id(leaf), None)
            else:
                self._used[id(leaf)] = _Used(ref(leaf), ref(grad), grad._version, self._step)
                if (storage := storage_of(grad)) is not None:
                    self._storages[storage] = id(leaf)

    def _again(self, leaf: torch.Tensor) -> _Used | None:
        used, grad = self._used.get(id(leaf)), self._leaves.gradient(leaf)
        if used is None or used.added is None or grad is None or grad is not used.grad():
            return None
        return used if bool(grad.any()) else None

    def before(self) -> None:
        """A backward is about to add to gradients: forget those that were cleared."""
        for key, used in list(self._used.items()):
            leaf = used.leaf()
            grad = None if leaf is None else self._leaves.gradient(leaf)
            if grad is None or grad is not used.grad() or grad._version != used.version:
                del self._used[key]
            elif not self._is_measured:
                self._is_measured = True
                used.norms = (float(grad.norm()), 0.0)

    def after(self, spot: Spot | None) -> None:
        """A backward has added to gradients."""
        for used in self._used.values():
            leaf = used.leaf()
            grad = None if leaf is None else self._leaves.gradient(leaf)
            if grad is not None and grad is used.grad() and grad._version != used.version:
                used.version = grad._version
                if used.added is None:
                    used.added = spot
                    if used.norms:
                        used.norms = (used.norms[0], float(grad.norm()))

    # Steps that are written out

    def read(self, leaf: torch.Tensor) -> None:
        """Note that a person's own line reads the gradient of a leaf."""
        if leaf.is_leaf and leaf.requires_grad:
            self._leaves.add(leaf)
            storage = storage_of(leaf)
            if storage is not None:
                if len(self._read) > _MOST:
                    self._read.clear()
                self._read[storage] = ref(leaf)

    def wrote(self, tensor: torch.Tensor, write: Write) -> None:
        """A write into a leaf whose gradient was read just before is a step, written out."""
        for storage in write.versions:
            if write.untracked and storage in self._storages:  # cleared through .data
                self._used.pop(self._storages.pop(storage), None)
            reference = self._read.pop(storage, None)
            leaf = None if reference is None else reference()
            if leaf is not None and self._leaves.gradient(leaf) is not None:
                self.step([leaf], write.spot)
                self.stepped([leaf])
                self.used([leaf])


def _clearing(step: Place | None) -> str:
    """What clears the gradients that a step used, by the name of its optimizer where it has one."""
    stepping = re.search(r"([A-Za-z_][\w.\[\]]*)\.step\(", step.text) if step else None
    return f"`{stepping[1]}.zero_grad()`" if stepping else "`zero_grad()` of the optimizer, or .grad = None"


def _finding(first: _Used, again: Sequence[_Used], spot: Spot | None) -> Placed:
    before, added, at = place(first.step), place(first.added), place(spot)
    names = modules.paths()
    named = [name for used in again if (name := _name(used, names))]
    leaves = f"`{named[0]}`" if len(again) == 1 and named else several(len(again), "parameter")
    first_step = before.name if before else "a step"
    backward = added.name if added else "the backward"
    sums = (
        (f"of one of them the norm was {number(first.norms[0])}, and is {number(first.norms[1])} with it",)
        if first.norms
        else ()
    )
    return make(
        "AGX410",
        f"The {'gradient' if len(again) == 1 else 'gradients'} of {leaves} still held what the step of "
        f"{first_step} had used: the backward of {backward} was added to it, and the next step used the sum.",
        added,
        cause=(
            *(
                f"{what:<9} {each.name}  {each.text}"
                for what, each in (("used", before), ("added to", added), ("used", at))
                if each
            ),
            *sums,
        ),
        fix=(f"clear them before the backward of {backward}: {_clearing(before)}",),
        parameters=len(again),
        names=named[:20],
        step=None if at is None else [at.file, at.line],
        backward=None if added is None else [added.file, added.line],
        norms=first.norms,
    )


def _name(used: _Used, names: modules.Paths) -> str:
    leaf = used.leaf()
    return "" if leaf is None else names.leaf(leaf)
