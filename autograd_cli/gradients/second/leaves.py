"""Which leaves a second derivative is worked out by, and what is said of the others."""

from collections.abc import Iterator
from itertools import combinations_with_replacement

import torch

from autograd_cli.gradients.evidence import Bench
from autograd_cli.report import Verdict
from autograd_cli.report.second import SecondBlock
from autograd_cli.run.values import plain


def reason(bench: Bench) -> str:
    """Why there is no second derivative to speak of; empty where there is."""
    output = bench.run.output
    if not isinstance(output, torch.Tensor) or not output.requires_grad:
        return "the output has no graph, so no backward can start from it"
    if bench.replay is None:
        return bench.reason
    return "" if reached(bench) else "no leaf reaches the output"


def reached(bench: Bench) -> list[str]:
    """The leaves that the source uses and the output depends on, in the order of the bindings."""
    assert bench.replay is not None
    used = [binding.name for binding in bench.run.bindings if binding.role == "leaf" and binding.used]
    return [name for name in used if name in bench.replay.leaves]


def real(bench: Bench) -> list[str]:
    """Those of them that are not complex, and have elements."""
    leaves = bench.run.leaves
    return [name for name in reached(bench) if leaves[name].numel() and not leaves[name].is_complex()]


def complex_ones(bench: Bench) -> str:
    """What is said of complex leaves; empty where there are none."""
    names = [name for name in reached(bench) if bench.run.leaves[name].is_complex()]
    if not names:
        return ""
    are = "is" if len(names) == 1 else "are"
    return (
        f"{' and '.join(names)} {are} complex: not done, since second derivatives "
        "are worked out by real leaves only"
    )


def pairs(bench: Bench) -> Iterator[tuple[str, str]]:
    """The pairs of leaves that have a block, also an empty one."""
    names = [name for name in reached(bench) if not bench.run.leaves[name].is_complex()]
    return combinations_with_replacement(names, 2)


def empty_block(bench: Bench, one: str, other: str) -> SecondBlock | None:
    """The block of a pair of which a leaf has no elements: it has none, and is right; None of any other."""
    leaves = bench.run.leaves
    shape = (*leaves[one].shape, *leaves[other].shape)
    if leaves[one].numel() and leaves[other].numel():
        return None
    nothing = plain(torch.empty(shape), None)
    return SecondBlock(
        pair=(one, other),
        shape=shape,
        formula=None,
        no_formula="",
        applied="",
        symbolic=None,
        autograd=nothing,
        numeric=nothing,
        error_bar=None,
        differences=None,
        differences_bar=None,
        directions=None,
        asymmetry=None,
        difference=None,
        tolerance=None,
        worst=None,
        verdict=Verdict.OK,
        sentence="it has no elements",
    )
