"""What a second run, or another machine, may print otherwise."""

import re
from collections.abc import Iterator

from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.statements import called, expressions, parts
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement

_DRAWS = re.compile(r"rand|normal|bernoulli|multinomial|poisson|dropout|uniform|exponential|empty")
_SEEDS = {"manual_seed", "seed", "default_rng"}
_FACTS = {
    "shape", "size", "dtype", "ndim", "dim", "numel", "requires_grad", "is_leaf", "grad_fn", "stride",
    "is_contiguous", "nelement",
}  # fmt: skip
_PLACES = {
    "cuda", "mps", "xpu", "version", "__version__", "device", "device_count", "data_ptr", "is_available",
    "get_device_name", "get_num_threads", "storage", "untyped_storage",
}  # fmt: skip


def is_repeatable(whole: Whole, statement: Statement, claim: str) -> bool:
    """Whether the same statement prints the same wherever it is run.

    Not where it asks for the machine, nor for values that were drawn without a seed.
    """
    names = set(_names(statement))
    if names & _PLACES or "cuda" in claim or "mps" in claim:
        return False
    return bool(names & _FACTS) or not _draws_unseeded(whole)


def draws(statement: Statement) -> bool:
    """Whether a statement draws numbers itself."""
    return any(_DRAWS.search(name) for name in _names(statement))


def _names(statement: Statement) -> Iterator[str]:
    for part in parts(statement):
        for node in nodes.walk(part):
            yield _name(node)


def _name(node: Expr) -> str:
    if isinstance(node, nodes.Attribute):
        return node.name
    return node.id if isinstance(node, nodes.Name) else ""


def _draws_unseeded(whole: Whole) -> bool:
    found = {called(node) for node in expressions(whole.program) if isinstance(node, nodes.Call)}
    return not found & _SEEDS and any(map(_DRAWS.search, found))
