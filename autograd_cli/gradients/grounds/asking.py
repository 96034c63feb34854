"""torch.autograd.gradcheck on the same function, and why it says something else."""

import re

import torch
from torch.autograd.gradcheck import GradcheckError

from autograd_cli.errors import first_line
from autograd_cli.gradients.grounds.cuts import through
from autograd_cli.gradients.replay import Replay, ReplayError
from autograd_cli.report.checks import Asked
from autograd_cli.report.kinds import Verdict
from autograd_cli.run.tape import Run

_WORK = 2_000_000_000
"""The elements that a full check may compute; beyond, torch's fast mode is asked."""
_STEP, _STEPS = 1e-6, (1e-4, 1e-8, 1e-3, 1e-10)
"""torch's own step, and others that are tried where it says No for that."""
_ASIDE = 1e-3
"""How far aside, of each value and of 1, it is asked again at a kink."""


def asked(run: Run, verdict: Verdict | None, cut: bool) -> Asked:
    """What torch says of the output as a function of all leaves, in float64, under a fixed random state.

    `verdict` is agx's on the whole, `cut` says that a slope is another one without the cuts of the graph.
    Nothing is raised: what stands in the way of an answer is told in it. Beside a Yes stands what torch
    says of the run in its own dtype and drawing anew, where that is no Yes.
    """
    try:
        question = _Question(Replay(through(run)))
        passed, words = question.put()
    except ReplayError as error:
        return Asked(None, f"torch was not asked: {first_line(error)}")
    if passed is None:
        return Asked(None, f"torch.autograd.gradcheck cannot answer: {words}")
    said = f"{words}, {question.how}"
    if passed:
        return Asked(True, said + _itself(run, question), _YES.get(verdict, "") if verdict else "")
    return Asked(False, said, _CUT if cut and verdict is Verdict.OK else question.why_not(verdict))


class _Question:
    """What is asked of torch about the function that a replay is."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.leaves = list(replay.leaves.values())
        self.fast = replay.work() * sum(leaf.numel() for leaf in self.leaves) > _WORK

    @property
    def how(self) -> str:
        """In which dtype and random state it was asked, and whether in torch's fast mode."""
        dtype = str(self.replay.dtype).removeprefix("torch.")
        drawn = " and under one random state" if self.replay.draws else ""
        return f"in {dtype}{drawn}{', in its fast mode' if self.fast else ''}"

    def put(self, step: float = _STEP, aside: float = 0.0) -> tuple[bool | None, str]:
        """Torch's answer and its words; None where something stood in the way of one."""
        leaves = [(leaf.detach() + aside * (1 + leaf.abs())).requires_grad_() for leaf in self.leaves]
        try:
            with self.replay.session(), torch.enable_grad():
                torch.autograd.gradcheck(self._function, leaves, eps=step, fast_mode=self.fast)
        except GradcheckError as error:
            return False, _short(error)
        except (
            Exception
        ) as error:  # whatever torch raises, of inputs that it does not take or of the function
            return None, first_line(error)
        return True, "True"

    def _function(self, *given: torch.Tensor) -> torch.Tensor:
        return self.replay(dict(zip(self.replay.leaves, given, strict=True)))

    def why_not(self, verdict: Verdict | None) -> str:
        """What makes torch say Yes instead, which is tried; empty where nothing does."""
        if verdict is Verdict.KINK and self.put(aside=_ASIDE)[0]:
            return "a little aside of these values it says True: its step goes over the kink to both sides"
        if verdict in (Verdict.OK, Verdict.PRECISION):
            step = next((step for step in _STEPS if self.put(step)[0]), None)
            return "" if step is None else f"with a step of {step:g} in place of {_STEP:g} it says True"
        return ""


def _itself(run: Run, question: _Question) -> str:
    """What torch says of the function in the run's own dtype and drawing each time, where that is no Yes."""
    replay = question.replay
    is_drawn = any(planned.state is not None for planned in replay.plan)
    if question.fast or (run.dtype == "float64" and not is_drawn):
        return ""
    own = Replay(through(run), double=False)
    for planned in own.plan:
        planned.state = None
    passed, words = _Question(own).put()
    if passed:
        return ""
    dtype = f"in {run.dtype}" if run.dtype != "float64" else ""
    how = filter(None, (dtype, "drawing anew" if is_drawn else ""))
    return f"; {' and '.join(how)}, as it is run, torch says: {words}"


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
