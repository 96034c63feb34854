"""The order of the Taylor remainder: how fast f(x + h v) - f(x) - h g·v shrinks with h.

It is of order 2 where g is the gradient, whatever the function's scale, and of order 1 where
g is off by anything that rounding does not explain: no step and no tolerance is chosen.
"""

from math import log2

import torch

from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.grounds.nodes import drawn
from autograd_cli.gradients.line import Line, components
from autograd_cli.gradients.replay import ReplayError

_FIRST, _LEVELS = 2.0**-4, 10
_LEAST = 0.5  # below it remainders do not shrink as those of any function with a slope do
_CLEAR = 30.0
"""How many times what rounding does a remainder is, at least, to tell anything."""


def order(bench: Bench, name: str, given: torch.Tensor, allowed: torch.Tensor | None) -> float | None:
    """The order at the smallest steps whose remainder stands clear of rounding; None without such.

    `given` is the gradient of the leaf `name`, `allowed` (n,) what rounding may do to it.
    """
    if bench.replay is None:
        return None
    try:
        with bench.replay.session():
            noise = bench.rounding.noise if bench.rounding else 0.0
            line = Line(bench.replay, name, bench.cotangent, noise)
            return _order(line, components(given), allowed)
    except ReplayError:
        return None


def _order(line: Line, given: torch.Tensor, allowed: torch.Tensor | None) -> float | None:
    sizes = torch.where(line.components == 0, line.typical, line.components.abs())
    direction = sizes * drawn(sizes, 1).sign()
    slope, doubt = float(given @ direction), 0.0
    if allowed is not None:
        doubt = float(allowed.nan_to_num(nan=0.0, posinf=0.0) @ direction.abs())
    found: float | None = None
    before: float | None = None
    for level in range(_LEVELS):
        h = _FIRST / 4**level
        rest = abs(line.move(direction, h) - h * slope)
        clear = _CLEAR * (line.noise + h * doubt + 1e-16 * h * abs(slope))
        if not clear < rest < float("inf"):
            before = None
            continue
        found = found if before is None else log2(before / rest) / 2
        before = rest
    return found if found is None or found > _LEAST else None
