"""Where a gradient that is not finite is born: the node, the element, the product that made it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any

import torch

from autograd_cli.diagnose.watching import graphs
from autograd_cli.diagnose.watching.common import Common
from autograd_cli.diagnose.watching.mode import PLAIN, Made, apart, is_profiled
from autograd_cli.diagnose.watching.records import Call, Log
from autograd_cli.diagnose.watching.signals import leave

_MOST_HOOKS = 2_000
_MOST_NODES = 8_000
"""Nodes that are listened to, and looked at, between two backwards: torch does not free many more safely."""

_MOST_BIRTHS = 4
_SAFE = """
    Addmm Addmv Addr Baddbmm Addbmm Mm Mv Bmm Dot Convolution MkldnnConvolution Embedding Add Sub Rsub Neg
    Relu Threshold LeakyRelu Elu Gelu Silu Mish Hardswish Hardtanh Tanh Sigmoid NativeDropout
    MaxPool2D MaxPool2DWithIndices MaxPool3DWithIndices AvgPool2D AvgPool3D AdaptiveAvgPool2D
    AdaptiveAvgPool3D AdaptiveMaxPool2D UpsampleNearest2D UpsampleBilinear2D ConstantPadNd PixelShuffle
    View ReshapeAlias UnsafeView Alias AsStrided Permute Transpose T Unfold Index Select Slice Squeeze
    Unsqueeze Expand Repeat Cat Stack Split SplitWithSizes Chunk Unbind Gather IndexSelect Roll Flip Clone
    ToCopy Copy Sum Max Min Maximum Minimum Clamp ClampMin ClampMax Abs Where MaskedFill
    """
"""Nodes whose local factors are finite wherever what they keep is, by what stands before "Backward0"."""

_safe = frozenset(_SAFE.split())

_drops: Any = torch.nn.functional
_DROPS = (torch.dropout, _drops.dropout, _drops.dropout1d, _drops.dropout2d, _drops.dropout3d)
"""Functions whose products are those with a mask."""


@dataclass(frozen=True)
class Birth:
    """A node that was given finite gradients and passed on others, or made NaN of infinity.

    `index` is the first such element, `arriving` × `factor` = `made` there; `values` are what the node
    keeps there, by name. None stands for what is not known. `below` are the nodes that it passes to.
    """

    node: str
    call: Call | None
    sequence: int
    index: tuple[int, ...]
    count: int
    size: int
    made: float
    arriving: float | None
    factor: float | None
    values: dict[str, float]
    below: tuple[str, ...] = ()


class Births:
    """Listens to the nodes whose slope can be infinite.

    Of functions that are `harmless` it knows that all their nodes are safe.
    """

    def __init__(self, log: Log, common: Common) -> None:
        self.found: list[Birth] = []
        self.harmless: set[Any] = set(_DROPS)
        self.is_over = False
        self._log = log
        self._common = common
        self._hooked = self._looked = 0
        self._hook = self._passed  # bound once, and not for each node anew

    def begin(self) -> None:
        """A backward begins."""
        self.found, self._hooked, self._looked = [], 0, 0

    def listen(self, made: Made) -> None:
        """Hook the nodes that a call made, where they are none of those that are safe.

        A function of torch's whose nodes were all safe makes no others.
        """
        if self.is_over or self._hooked > _MOST_HOOKS or self._looked > _MOST_NODES:
            return
        nodes = graphs.nodes_of(made)
        unsafe = [node for node in nodes if not _is_safe(type(node).__name__)]
        for node in unsafe:
            node.register_hook(self._hook)
        self._hooked += len(unsafe)
        self._looked += len(nodes)
        if nodes and not unsafe and _is_of_torch(made.function):
            self.harmless.add(made.function)

    def _passed(self, passed: Sequence[Any], arrived: Sequence[Any]) -> None:
        """A node passes on gradients, given those that arrived."""
        if self.is_over or self._common.is_over or is_profiled() or len(self.found) >= _MOST_BIRTHS:
            return
        try:
            with apart():
                if not all(map(is_finite, passed)) and _is_new(passed, arrived):
                    self.found += _births(self._log, passed, arrived)
        except Exception as error:
            self._common.failed(error)


@lru_cache
def _is_safe(node: str) -> bool:
    """Whether a node is a safe one: of torch itself, whose names end in a number, as no person's own does."""
    stem, _, number = node.partition("Backward")
    return number.isdigit() and stem in _safe


def _is_of_torch(function: Any) -> bool:
    """Whether a function is one of torch's: made of C, or of its modules."""
    module = getattr(function, "__module__", None) or ""
    return not hasattr(function, "__code__") or module.partition(".")[0] == "torch"


def is_finite(tensor: Any) -> bool:
    """Whether a gradient holds neither NaN nor infinity; what is no dense floating tensor does not."""
    if type(tensor) not in PLAIN or tensor.layout is not torch.strided or tensor.is_meta:
        return True
    if not (tensor.is_floating_point() or tensor.is_complex()):
        return True
    total = tensor.sum().item()
    return isfinite(abs(total)) or bool(torch.isfinite(tensor).all())


def _is_new(passed: Sequence[Any], arrived: Sequence[Any]) -> bool:
    """Whether what arrived is finite, or holds no NaN while what is passed on does."""
    if all(map(is_finite, arrived)):
        return True
    return any(map(_has_nan, passed)) and not any(map(_has_nan, arrived))


def _has_nan(tensor: Any) -> bool:
    return type(tensor) in PLAIN and bool(torch.isnan(tensor).any())


def _births(log: Log, passed: Sequence[Any], arrived: Sequence[Any]) -> Iterator[Birth]:
    node: Any = torch._C._current_autograd_node()
    if node is None:
        return
    sequence = node._sequence_nr()
    for slot, gradient in enumerate(passed):
        if is_finite(gradient):
            continue
        wrong = ~torch.isfinite(gradient)
        index = _chosen(gradient, wrong)
        yield Birth(
            node=type(node).__name__,
            call=log.made(sequence),
            sequence=sequence,
            index=index,
            count=int(wrong.sum()),
            size=gradient.numel(),
            made=_number(gradient, index),
            arriving=_arriving(gradient, arrived, index),
            factor=_factor(node, arrived, slot, index),
            values=_values(node, gradient, index),
            below=tuple(type(each).__name__ for each, _ in node.next_functions),
        )
        return


def _chosen(gradient: torch.Tensor, wrong: torch.Tensor) -> tuple[int, ...]:
    """The first NaN; the first infinite element where there is none."""
    nan = torch.isnan(gradient)
    return tuple((nan if bool(nan.any()) else wrong).nonzero()[0].tolist())


def _number(tensor: torch.Tensor, index: tuple[int, ...]) -> float:
    value = tensor[index].item()
    return value if not isinstance(value, complex) else float("nan")


def _arriving(gradient: torch.Tensor, arrived: Sequence[Any], index: tuple[int, ...]) -> float | None:
    given = [each for each in arrived if isinstance(each, torch.Tensor)]
    if len(given) != 1:
        return None
    return _at(given[0], gradient.shape, index)


def _at(tensor: torch.Tensor, shape: torch.Size, index: tuple[int, ...]) -> float | None:
    """The element that meets `index` of `shape` when `tensor` is stretched to it; None where it is not."""
    try:
        value = tensor.expand(shape)[index].item()
    except RuntimeError:
        return None
    return None if isinstance(value, complex) else float(value)


def _factor(node: Any, arrived: Sequence[Any], slot: int, index: tuple[int, ...]) -> float | None:
    """The local factor at an element: what the node passes on of ones. A person's own is not called again."""
    if hasattr(type(node), "_forward_cls") or not all(isinstance(each, torch.Tensor) for each in arrived):
        return None
    try:
        passed = node(*map(torch.ones_like, arrived))
        gradient = passed[slot] if isinstance(passed, tuple) else passed
        return float(gradient[index].item())
    except Exception as error:
        leave(error)
        return None


def _values(node: Any, gradient: torch.Tensor, index: tuple[int, ...]) -> dict[str, float]:
    found = {}
    for kept in graphs.kept_by(node):
        value = _at(kept.tensor, gradient.shape, index) if kept.tensor.ndim <= gradient.ndim else None
        if value is not None:
            found[kept.name] = value
    return found
