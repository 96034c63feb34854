"""What a statement did beside giving names to values: noted while it runs, told afterwards."""

from typing import Any, NamedTuple

import torch

from autograd_cli.lang.nodes import Expr


class Printed(NamedTuple):
    """A text that was printed, its end included."""

    text: str


class Wrote(NamedTuple):
    """The memory of `tensor` was written by the step `number`; `expr` is what it was called by there."""

    expr: Expr | None
    tensor: torch.Tensor
    number: int


class Given(NamedTuple):
    """`attribute` of `tensor` was given another object, or another flag, by the step `number`."""

    expr: Expr | None
    tensor: torch.Tensor
    attribute: str
    before: Any
    after: Any
    number: int


class Reached(NamedTuple):
    """A backward left gradients: for each tensor what its .grad was before and is now."""

    gradients: tuple[tuple[torch.Tensor, torch.Tensor | None, torch.Tensor], ...]
    number: int


Event = Printed | Wrote | Given | Reached
