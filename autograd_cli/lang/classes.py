"""The classes that a value can be asked for: `isinstance(x, torch.Tensor)`, `type(x) is float`."""

from collections.abc import Collection

from autograd_cli.lang import lookup
from autograd_cli.lang.nodes import Expr, Sequence
from autograd_cli.lang.vocabulary import words

CLASSES = frozenset(
    {
        *(f"builtins.{name}" for name in words("bool complex float int list range str tuple")),
        *(f"torch.{name}" for name in ("Tensor", "Size", "device", "dtype", "nn.Parameter")),
        "torch.nn.parameter.Parameter",
        "torch.optim.Optimizer",
        "numpy.ndarray",
    }
)
"""Where Python finds each."""


def without_classes(hidden: Collection[str], node: Expr) -> list[Expr]:
    """The parts of what stands for a class, or for several in a tuple, that name none."""
    parts = node.items if isinstance(node, Sequence) else (node,)
    return [part for part in parts if not is_class(lookup.path(part, hidden))]


def is_class(path: str | None) -> bool:
    """Whether a class of the language stands there."""
    return path in CLASSES
