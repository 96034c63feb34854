"""The autograd witness: one backward, watched at every node."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch
from torch.autograd.graph import Node

from autograd_cli.errors import AgxError
from autograd_cli.run.tape import Run

Arrived = tuple[torch.Tensor | None, ...]


@dataclass(frozen=True)
class Backward:
    """What one backward did.

    `cotangents` holds what arrived at each watched node, one entry for each output of
    the node; a node that was not run is absent. `leaves` are the gradients by name,
    None for a leaf that was not reached. `error` is what torch raised on the way.
    """

    cotangents: dict[Node, Arrived] = field(default_factory=dict)
    leaves: dict[str, torch.Tensor | None] = field(default_factory=dict)
    error: Exception | None = None


_OF_TORCH = (RuntimeError, NotImplementedError, ValueError, TypeError)
"""What torch raises in a backward; a person's own may raise anything."""
_OF_LIMITS = (MemoryError, AgxError)


def backward(run: Run, cotangent: torch.Tensor | None, nodes: Sequence[Node] = ()) -> Backward:
    """The gradients of the run's output, with the cotangents that arrive at `nodes`.

    `nodes` were read beforehand, so that the graph shown is the one torch made. The
    cotangent has the shape of the output; None stands for ones. The graph is freed as
    torch frees it. A leaf's `.grad` holds this backward's part alone afterwards.
    """
    output, leaves = run.output, run.leaves
    if not isinstance(output, torch.Tensor) or not output.requires_grad:
        return Backward(leaves=dict.fromkeys(leaves))
    for leaf in leaves.values():
        leaf.grad = None
    arrived: dict[Node, Arrived] = {}
    handles = [node.register_prehook(_keeper(arrived, node)) for node in nodes]
    error = None
    try:
        start(output, cotangent)
    except Exception as raised:
        if not isinstance(raised, _OF_TORCH) and (not run.settings.uses or isinstance(raised, _OF_LIMITS)):
            raise
        error = raised
    finally:
        for handle in handles:
            handle.remove()
    return Backward(arrived, {name: written_out(leaf.grad) for name, leaf in leaves.items()}, error)


def slopes(
    output: torch.Tensor, leaves: Sequence[torch.Tensor], cotangent: torch.Tensor | None
) -> tuple[torch.Tensor | None, ...]:
    """The gradients of `leaves`, None for one not reached.

    The cotangent has the output's shape; None stands for ones, of a real output.
    """
    if not output.requires_grad:  # as what is drawn: a replay holds it
        return (None,) * len(leaves)
    number = _weighed(output, cotangent)
    if number is None:
        assert cotangent is not None
        return torch.autograd.grad(
            output, leaves, cotangent.to(output.device, output.dtype), allow_unused=True
        )
    return torch.autograd.grad(number, leaves, allow_unused=True)


def accumulated(output: torch.Tensor) -> set[int]:
    """The ids of the leaves that the graph of `output` leads to, whether or not a gradient came there."""
    seen: set[Node] = set()
    waiting = [output.grad_fn] if output.grad_fn is not None else []
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += [below for below, _ in node.next_functions if below is not None]
    return {id(variable) for node in seen if (variable := getattr(node, "variable", None)) is not None}


def start(output: torch.Tensor, cotangent: torch.Tensor | None) -> None:
    """One backward from `output`, ones being sent where `cotangent` is None.

    What torch warns of was said in the run.
    """
    number = _weighed(output, cotangent)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if number is None:
            torch.autograd.backward(output, torch.ones_like(output) if cotangent is None else cotangent)
        else:
            torch.autograd.backward(number)


def _weighed(output: torch.Tensor, cotangent: torch.Tensor | None) -> torch.Tensor | None:
    """The real number of which a backward sends `cotangent` to `output`; None for complex outputs.

    A cotangent handed to torch makes it import sympy, a quarter of the time that torch
    itself takes; a number that weighs the output with it sends the very same one.
    """
    if output.is_complex():
        return None
    if cotangent is None:
        return output if output.ndim == 0 else output.sum()
    return (output * cotangent.to(output.device, output.dtype)).sum()


def _keeper(arrived: dict[Node, Arrived], node: Node) -> Callable[[Arrived], None]:
    """A hook that puts what arrives at `node` under it, and changes nothing."""

    def keep(given: Arrived) -> None:
        arrived[node] = tuple(map(written_out, given))

    return keep


def written_out(gradient: torch.Tensor | None) -> torch.Tensor | None:
    """`gradient` with memory of its own: torch passes some zeros on as tensors without any."""
    if gradient is None or not gradient._is_zerotensor():
        return gradient
    return torch.zeros(gradient.shape, dtype=gradient.dtype, device=gradient.device)
