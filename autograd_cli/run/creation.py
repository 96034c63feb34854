"""Values such as `randn(10, 3)` made by their one call: the interpreter would take many times as long."""

from collections.abc import Collection
from math import prod

import torch

from autograd_cli.lang import lookup, nodes
from autograd_cli.lang.nodes import Program
from autograd_cli.run.limits import SMALL
from autograd_cli.run.settings import Settings

_MAKERS = {f"torch.{name}": getattr(torch, name) for name in ("randn", "rand", "zeros", "ones")}
"""Functions of sizes alone."""


def created(program: Program, hidden: Collection[str], settings: Settings) -> torch.Tensor | None:
    """The small tensor that a program of one such call gives; None of any other program.

    `hidden` are the names that have a value. What the interpreter would add is left out: there is
    nothing to bound, to warn of or to record.
    """
    call = program.body if program.is_expression else None
    if not isinstance(call, nodes.Call) or call.keywords or not call.args or not _is_usual(settings):
        return None
    make = _MAKERS.get(lookup.path(call.function, hidden) or "")
    sizes = [arg.value for arg in call.args if isinstance(arg, nodes.Number) and type(arg.value) is int]
    if make is None or len(sizes) < len(call.args) or min(sizes) < 0 or prod(sizes) >= SMALL:
        return None
    made: torch.Tensor = make(*sizes)
    return made


def _is_usual(settings: Settings) -> bool:
    """Whether nothing of the settings may change what a call gives."""
    is_odd = settings.mode or settings.autocast or settings.uses or settings.device != "cpu"
    return not is_odd and settings.max_steps > 0
