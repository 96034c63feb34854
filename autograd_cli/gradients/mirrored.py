"""Functions that read half of a matrix, as functions of all its elements.

torch's cholesky and eigh read one triangle of a matrix that is meant to be symmetric, and their
gradients are those of a function of symmetric matrices: shared by each element and its mirror
image. Differences of the plain call would give one of the two all of it and the other 0.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from autograd_cli.report import refs
from autograd_cli.run.tape import LiveStep

if TYPE_CHECKING:
    from autograd_cli.gradients.replay import Replay

Call = Callable[..., Any]

_UPPER = {"cholesky": "upper", "cholesky_ex": "upper", "eigvalsh": "UPLO", "eigh": "UPLO"}
"""By rule key, the argument that says which triangle is read."""

_ALIKE = 1e3
"""How many roundings mirror images may differ by in a matrix that counts as symmetric."""


def is_mirrored(step: LiveStep) -> bool:
    """Whether a step calls a function that reads one triangle of its matrix."""
    return step.function is not None and step.function.key in _UPPER


def mirrored(step: LiveStep, steps: Sequence[LiveStep]) -> Call:
    """The step's call, such that an element of the matrix and its mirror image move it alike.

    At the recorded matrix it is the call itself, symmetric or not.
    """
    assert step.call is not None
    call, skew = step.call, _skew(_matrix(step, steps), _reads_upper(step))

    def evaluated(*args: Any, **kwargs: Any) -> Any:
        if args:
            return call(_even(args[0], skew), *args[1:], **kwargs)
        return call(**{n: _even(v, skew) if n in ("input", "A") else v for n, v in kwargs.items()})

    return evaluated


def _matrix(step: LiveStep, steps: Sequence[LiveStep]) -> torch.Tensor:
    """The matrix as recorded."""
    value: torch.Tensor = steps[refs((step.args, step.kwargs))[0].index].value
    return value.detach()


def _reads_upper(step: LiveStep) -> bool:
    assert step.function is not None
    name = _UPPER[step.function.key]
    given = step.kwargs.get(name, step.args[1] if len(step.args) > 1 else False)
    return given is True or (isinstance(given, str) and given.upper() == "U")


def _even(matrix: torch.Tensor, skew: torch.Tensor | None) -> torch.Tensor:
    """The mean of a matrix and its mirror image; as it is read where it is not symmetric."""
    even = (matrix + matrix.mH) / 2
    return even if skew is None else even + skew.to(even.dtype)


def _skew(matrix: torch.Tensor, upper: bool) -> torch.Tensor | None:
    """What the recorded matrix is read as less its mean with its mirror image; None where it is symmetric."""
    if not matrix.numel():
        return None
    size = float(matrix.abs().max())
    if not (matrix - matrix.mH).abs().max() > _ALIKE * torch.finfo(matrix.dtype).eps * size:
        return None
    wide = matrix.to(torch.promote_types(matrix.dtype, torch.float64))
    half = wide.triu() if upper else wide.tril()
    read = half + (wide.triu(1) if upper else wide.tril(-1)).mH
    return read - (wide + wide.mH) / 2


def shared(replay: "Replay", name: str) -> tuple[str, ...]:
    """What is to be said of the functions that move more than what they read as the leaf moves."""
    found = [step for step in replay.under if is_mirrored(replay.steps[step])]
    if not found:
        return ()
    leaf = replay.leaves[name]
    with replay.session():
        try:
            values = replay.every({name: _nearby(leaf)})
        except Exception:  # there is no symmetric matrix to one side: nothing to say of it
            return ()
    read = [replay.steps[index] for index in found if _moved_unevenly(replay, index, values)]
    return tuple(dict.fromkeys(map(_sentence, read)))


_MOVE = 1e-6


def _nearby(leaf: torch.Tensor) -> torch.Tensor:
    """A leaf with every element moved a little, each by its own part of its size; zeros as the others are."""
    sizes = leaf.abs()
    known = sizes[(sizes > 0) & sizes.isfinite()]
    typical = known.mean() if known.numel() else 1.0
    drawn = torch.rand(leaf.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return leaf + _MOVE * drawn * torch.where(sizes > 0, leaf, typical)


def _moved_unevenly(replay: "Replay", index: int, values: Sequence[Any]) -> bool:
    """Whether the matrix that a step reads half of has changed otherwise than symmetrically."""
    step = replay.steps[index]
    place = refs((step.args, step.kwargs))[0].index
    change = values[place] - replay.recorded()[place]
    return bool(change.numel() and (change - change.mH).abs().max() > _MOVE * change.abs().max())


def _sentence(step: LiveStep) -> str:
    assert step.function is not None
    return (
        f"{step.function.name} reads one triangle of its matrix: the numeric witness moves each element "
        "together with its mirror image, by half each, as torch's gradient does"
    )
