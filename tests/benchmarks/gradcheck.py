"""How fast every element of a gradient is checked, against torch.autograd.gradcheck in the same process.

Run as `python tests/benchmarks/gradcheck.py [TURNS]`. What counts is the time from a program that was read
to its judged gradient, its run and its own backward among it, by that of torch's check of the same function,
the best of TURNS (3) of torch and of four times as many of agx. At 100,000 elements torch would take minutes:
its time there is that at 10,000 times the square of the ratio of elements, since so many more evaluations
take so much longer each. Ends with 1 when a ratio is below its bound, or agx's time grows faster than the
elements do.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from autograd_cli.gradients.backward import backward
from autograd_cli.gradients.check import Options, check
from autograd_cli.lang.check import check as names_of
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.report import Verdict
from autograd_cli.run.inputs import Roles, bind
from autograd_cli.run.record import run as record, torch_state
from autograd_cli.run.settings import Settings

ELEMENTWISE = "(sin(x**2)*exp(-x)).sum()"
BOUNDS = {1_000: 20.0, 10_000: 300.0, 100_000: 3_000.0}
DENSE, DENSE_SIZE, DENSE_BOUND = "(A@x).tanh().sum()", 1_000, 2.0
MEASURED = 10_000
"""Elements up to which torch is measured."""
GROWTH = 1.5
"""How much faster than the elements agx's time may seem to grow: the machine does other things besides."""


def seconds(call: Callable[[], Any]) -> float:
    """How long a call keeps the processor."""
    start = time.process_time()
    call()
    return time.process_time() - start


def in_agx(source: str, const: str = "", **bindings: str) -> Callable[[], None]:
    """What checks every element of a source's gradient in agx; the source is read before."""
    program, settings = parse(Source(source)), Settings(dtype="float64")
    names = names_of(program, list(bindings)).names
    with torch_state(settings):
        bound = bind(
            tuple(bindings.items()), Roles(names, const=frozenset(const.split())), settings, "float64"
        )

    def go() -> None:
        with torch_state(settings):
            run = record(program, bound, settings)
        (gradient,) = check(run, backward(run, None), None, Options(elements="all"))
        if gradient.verdict is not Verdict.OK or gradient.directions or gradient.sentence:
            sys.exit(f"{source}: {gradient.verdict}, {gradient.directions}, {gradient.sentence}")

    return go


def in_torch(function: Callable[[torch.Tensor], torch.Tensor], count: int) -> Callable[[], Any]:
    """torch's own check of a function."""
    x = torch.randn(count, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    x.requires_grad_()
    return lambda: torch.autograd.gradcheck(function, x)


def elementwise(x: torch.Tensor) -> torch.Tensor:
    """What ELEMENTWISE computes."""
    return (torch.sin(x**2) * torch.exp(-x)).sum()


def best(call: Callable[[], Any], turns: int) -> float:
    """The shortest of several turns."""
    return min(seconds(call) for _ in range(turns))


def told(what: str, agx: float, theirs: float, bound: float, how: str = "") -> bool:
    """Print a ratio; whether it is above its bound."""
    times = f"{agx * 1e3:.1f} ms, torch {theirs:.3g} s{how}"
    print(f"{what}: {times}: {theirs / agx:.1f} times (at least {bound:g})")
    return theirs / agx >= bound


def main() -> int:
    """Print the ratios; the exit status says whether all are above their bounds."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    torch.set_num_threads(1)
    fine, agx, theirs = True, {}, {}
    for count, bound in BOUNDS.items():
        agx[count] = best(in_agx(ELEMENTWISE, x=f"randn({count})"), 4 * turns)
        if count <= MEASURED:
            theirs[count], how = best(in_torch(elementwise, count), turns if count < MEASURED else 1), ""
        else:
            theirs[count] = theirs[MEASURED] * (count / MEASURED) ** 2
            how = f" (extrapolated from {MEASURED:,})"
        fine &= told(f"{ELEMENTWISE}, {count:,} elements", agx[count], theirs[count], bound, how)
    growth = agx[100_000] / agx[10_000] / 10
    print(
        f"from 10,000 to 100,000 elements agx's time grows {10 * growth:.1f} times (at most {10 * GROWTH:g})"
    )
    matrix = torch.randn(DENSE_SIZE, DENSE_SIZE, dtype=torch.float64)
    dense = in_agx(DENSE, "A", A=f"randn({DENSE_SIZE}, {DENSE_SIZE})", x=f"randn({DENSE_SIZE})")
    torch_dense = in_torch(lambda x: (matrix @ x).tanh().sum(), DENSE_SIZE)
    fine &= told(
        f"{DENSE}, {DENSE_SIZE:,} elements", best(dense, 4 * turns), best(torch_dense, turns), DENSE_BOUND
    )
    return int(not fine or growth > GROWTH)


if __name__ == "__main__":
    sys.exit(main())
