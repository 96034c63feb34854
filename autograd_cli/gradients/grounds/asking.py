"""torch.autograd.gradcheck on the same function, and why it says something else."""

import re

import torch

from autograd_cli.errors import first_line
from autograd_cli.gradients.grounds.cuts import through
from autograd_cli.gradients.replay import Replay, ReplayError
from autograd_cli.report.checks import Asked
from autograd_cli.report.kinds import Verdict
from autograd_cli.run.tape import Run

_WORK = 2_000_000_000
"""The elements that a full check may compute; beyond, torch's fast mode is asked."""


def asked(run: Run, verdict: Verdict | None, cut: bool) -> Asked:
    """What torch says of the output as a function of all leaves, in float64, under a fixed random state.

    `verdict` is agx's on the whole, `cut` says that a slope is another one without the cuts of the graph.
    """
    try:
        replay = Replay(through(run))
    except ReplayError as error:
        return Asked(None, f"torch was not asked: {error}")
    names = list(replay.leaves)
    leaves = [leaf.detach().clone().requires_grad_() for leaf in replay.leaves.values()]
    fast = replay.work() * sum(leaf.numel() for leaf in leaves) > _WORK

    def function(*given: torch.Tensor) -> torch.Tensor:
        return replay(dict(zip(names, given, strict=True)))

    try:
        with replay.session(), torch.enable_grad():
            torch.autograd.gradcheck(function, leaves, fast_mode=fast)
    except Exception as error:  # torch's answer No is an exception, as is what stands in its way
        return Asked(False, _short(error), _CUT if cut and verdict is Verdict.OK else _no_but(verdict))
    return Asked(True, "True" + (", in its fast mode" if fast else ""), _yes_but(verdict))


def _short(error: Exception) -> str:
    """The first line of what torch says, with its two numbers where there are just two."""
    numbers = re.findall(r"(numerical|analytical):\s*tensor\(\[\[([^\],]*)\]\]", str(error))
    return " ".join([first_line(error).rstrip(","), *(f"{name} {value}" for name, value in numbers)])


_CUT = "it moves what is cut off as well, which agx and autograd hold constant"


_YES = {
    Verdict.KINK: "its one step goes to both sides, and the middle of two slopes is what autograd gives here",
    Verdict.JUMP: "its one step of 1e-6 does not see that the slopes grow without bound",
    Verdict.DOMAIN_EDGE: "its one step of 1e-6 does not see where the values end",
    Verdict.PRECISION: "it was asked in float64; what is lost is lost in the run's own precision",
    Verdict.NONDETERMINISTIC: "it was asked under a fixed random state",
    Verdict.WRONG: "it allows 0.1 % and 1e-5, asks autograd in float64 alone, and knows no formula",
}
_NO = {
    Verdict.OK: "its step of 1e-6 is not the right one for the scale of this function",
    Verdict.KINK: "its step goes over the kink to both sides and gives the mean of the two slopes",
    Verdict.PRECISION: "its step of 1e-6 sees rounding here, even in float64",
}


def _yes_but(verdict: Verdict | None) -> str:
    return _YES.get(verdict, "") if verdict else ""


def _no_but(verdict: Verdict | None) -> str:
    return _NO.get(verdict, "") if verdict else ""
