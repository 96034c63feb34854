"""The grounds of each gradient, gathered: each question is asked where its answer says something."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.grounds.alone import Alone, each_alone
from autograd_cli.gradients.grounds.arriving import Arrived, changed
from autograd_cli.gradients.grounds.cuts import cuts, uncut
from autograd_cli.gradients.grounds.forward import forward, wrong_jvps
from autograd_cli.gradients.grounds.losses import most_lossy
from autograd_cli.gradients.grounds.next import next_thing
from autograd_cli.gradients.grounds.outputs import over_outputs
from autograd_cli.gradients.grounds.places import sides, worst_elements
from autograd_cli.gradients.grounds.seen import Seen
from autograd_cli.gradients.grounds.taylor import order
from autograd_cli.gradients.grounds.varied import varied
from autograd_cli.gradients.grounds.written import Judge, wrong_rules
from autograd_cli.gradients.known import Evidence
from autograd_cli.gradients.line import place_of, shaped
from autograd_cli.gradients.numeric import Numeric
from autograd_cli.gradients.replay import Replay, ReplayError
from autograd_cli.report import Gradient, Verdict, Witness
from autograd_cli.report.checks import Forward, Grounds, Guilty
from autograd_cli.run.tape import Run
from autograd_cli.run.values import plain

DEAR = 50_000_000
"""The work of a replay beyond which a graph is not evaluated as often as differences need."""

STOP_GRADIENT = "stop-gradient"


@dataclass(frozen=True)
class Gatherer:
    """Gathers the grounds of gradients; `through` says that the numeric witness went through cuts."""

    through: bool = False
    forward: bool = False
    limit: int | None = None

    def spares(self, bench: Bench) -> bool:
        """Whether the graph is too large for differences, so that its nodes are checked each alone."""
        return bench.elements is None and bench.replay is not None and bench.replay.work() > DEAR

    def through_cuts(self, bench: Bench, name: str) -> Numeric | None:
        """The numeric slopes with what is cut from the graph moving as well."""
        return uncut(bench.run, name, bench.cotangent, bench.elements)

    def gathered(
        self,
        bench: Bench,
        gradient: Gradient,
        given: torch.Tensor,
        slopes: Numeric | None,
        evidence: Sequence[Evidence],
        arrived: Arrived,
        judge: Judge,
    ) -> Gradient:
        """The judged gradient with its grounds; the verdict too follows what is found.

        `given` is autograd's, `evidence` what was judged, `arrived` the cotangents by node; `judge` is
        what judges one node as a run of its own.
        """
        seen = Seen(bench, gradient, given, slopes, evidence, arrived)
        seen, outputs = self._over_outputs(seen)
        seen, alone = self._alone(seen, judge)
        jvps = forward(seen, self.limit) if self.forward else None
        seen, jvps_off = _held_to_jvp(seen, jvps)
        gradient = seen.gradient
        grounds = Grounds(
            order=self._order(seen),
            sides=sides(seen),
            elements=worst_elements(seen),
            guilty=jvps_off or (alone.guilty if alone else ()),
            alone=alone.checked if alone else None,
            loss=most_lossy(seen.bench) if gradient.verdict is Verdict.PRECISION else None,
            forward=jvps,
            outputs=outputs,
        )
        return self._finished(replace(seen, gradient=replace(gradient, grounds=grounds)))

    def absent(self, bench: Bench, gradient: Gradient) -> Gradient:
        """A gradient that no backward reached, with the cuts that kept it."""
        leaf = bench.run.leaves[gradient.name]
        grounds = _with_cuts(bench, gradient, Grounds(), leaf, self.limit, None)
        return replace(gradient, grounds=replace(grounds, next=next_thing(gradient, grounds, bench.run)))

    def _finished(self, seen: Seen) -> Gradient:
        gradient, grounds = seen.gradient, seen.gradient.grounds
        assert grounds is not None
        grounds = _with_cuts(seen.bench, gradient, grounds, seen.leaf, self.limit, seen.slopes, self.through)
        if grounds.uncut is not None and STOP_GRADIENT not in gradient.notes:
            gradient = replace(gradient, notes=(*gradient.notes, STOP_GRADIENT))
        if self.through and grounds.cuts and gradient.verdict is Verdict.WRONG:
            said = f"the graph is cut at {', '.join(cut.place or cut.text for cut in grounds.cuts)}"
            gradient = replace(gradient, sentence="; ".join(filter(None, (said, gradient.sentence))))
        grounds = replace(grounds, next=next_thing(gradient, grounds, seen.bench.run))
        return replace(gradient, grounds=grounds)

    def _order(self, seen: Seen) -> float | None:
        """The order of the remainder, where the function has a slope and the numeric witness was asked."""
        if seen.slopes is None or seen.slopes.slopes or self.through:
            return None
        allowed = seen.evidence[0].allowed if seen.evidence and seen.evidence[0].by_component else None
        return order(seen.bench, seen.name, seen.given, allowed)

    def _over_outputs(self, seen: Seen) -> tuple[Seen, str]:
        """The gradient judged over all of an output of several numbers, and how that was covered."""
        if self.through or seen.slopes is None:
            return seen, ""
        said, outcome = over_outputs(seen)
        gradient = seen.gradient
        if outcome is None or gradient.verdict is None or outcome.verdict.rank <= gradient.verdict.rank:
            return seen, said
        at = None if outcome.worst is None else place_of(outcome.worst, seen.leaf)
        gradient = replace(
            gradient,
            verdict=outcome.verdict,
            difference=outcome.difference,
            tolerance=outcome.tolerance,
            worst=at,
            odd=outcome.odd,
            kinks=outcome.kinks,
            sentence=outcome.sentence,
        )
        return replace(seen, gradient=gradient), said

    def _alone(self, seen: Seen, judge: Judge) -> tuple[Seen, Alone | None]:
        """The nodes each alone, where the whole is wrong or was too large to be looked at."""
        bench, gradient = seen.bench, seen.gradient
        spared = seen.slopes is None and self.spares(bench)
        if self.through or bench.replay is None or not (spared or gradient.verdict is Verdict.WRONG):
            return seen, None
        if gradient.odd is Witness.SYMBOLIC:
            return seen, wrong_rules(bench.run, seen.name, judge)
        alone = _each(bench.run, bench.replay, seen.name)
        if not alone.guilty and gradient.verdict is Verdict.WRONG:
            found = varied(bench, seen.name) or changed(bench, seen.arrived)
            alone = replace(alone, guilty=found)
        if not alone.guilty and gradient.odd is None and gradient.formula is not None:
            alone = replace(alone, guilty=wrong_rules(bench.run, seen.name, judge).guilty)
        return (replace(seen, gradient=_spared(gradient, alone)) if spared else seen), alone


def _held_to_jvp(seen: Seen, jvps: Forward | None) -> tuple[Seen, tuple[Guilty, ...]]:
    """The gradient as WRONG where all is well with it, but forward mode gives another one; who does."""
    gradient = seen.gradient
    if jvps is None or jvps.agrees is not False:
        return seen, ()
    if gradient.verdict is not None and gradient.verdict not in (Verdict.OK, Verdict.PRECISION):
        return seen, ()
    said = "forward mode (jvp) gives other slopes than backward (vjp)"
    sentence = "; ".join(filter(None, (said, gradient.sentence)))
    judged = replace(gradient, verdict=Verdict.WRONG, odd=None, sentence=sentence)
    return replace(seen, gradient=judged), wrong_jvps(seen)


def _each(run: Run, replay: Replay, name: str) -> Alone:
    """Each node alone; none where the run cannot be repeated."""
    try:
        return each_alone(run, replay, name)
    except ReplayError as error:
        return Alone(0, 0, (), missed=f"none could be: {error}")


def _spared(gradient: Gradient, alone: Alone) -> Gradient:
    """The verdict where the graph was too large for differences of the whole.

    A formula that autograd agrees with stands for what could not be looked at.
    """
    said = f"too large to be evaluated as often as differences need: {_counted(alone)} checked alone instead"
    found = [alone.verdict, *([] if gradient.verdict is None else [gradient.verdict])]
    verdict: Verdict | None = max(found, key=lambda one: one.rank)
    if gradient.verdict is None and alone.verdict.passes and (alone.missed or not alone.checked):
        verdict = None
    rough = alone.rough[1] if alone.rough and verdict is alone.rough[0] else ""
    sentence = "; ".join(filter(None, (said, rough, alone.missed, gradient.sentence)))
    return replace(gradient, verdict=verdict, sentence=sentence)


def _counted(alone: Alone) -> str:
    if alone.checked == alone.nodes:
        return "its one node was" if alone.nodes == 1 else f"its {alone.nodes:,} nodes were each"
    which = "" if alone.missed else ", some of each kind,"
    were = "was" if alone.checked == 1 else "were each"
    return f"of {alone.nodes:,} nodes {alone.checked:,}{which} {were}"


def _with_cuts(
    bench: Bench,
    gradient: Gradient,
    grounds: Grounds,
    leaf: torch.Tensor,
    limit: int | None,
    slopes: Numeric | None,
    through: bool = False,
) -> Grounds:
    """The grounds with where the graph is cut, and the slopes without that where they are other ones."""
    found = cuts(bench.run, gradient.name)
    if not found or through:
        return replace(grounds, cuts=found if through else ())
    output = bench.run.output
    if not isinstance(output, torch.Tensor):
        return replace(grounds, cuts=found)
    sent = bench.cotangent if bench.replay is not None else torch.ones_like(output, dtype=torch.float64)
    without = uncut(bench.run, gradient.name, sent, bench.elements)
    if without is None or without.probes is not None:
        return replace(grounds, cuts=found) if gradient.verdict is Verdict.NO_GRAPH else grounds
    before = torch.zeros_like(without.values) if slopes is None else slopes.values
    if slopes is not None and slopes.probes is not None:
        return grounds
    errors = without.errors if slopes is None else without.errors + slopes.errors
    if not bool(((without.values - before).abs() > errors).any()):
        return grounds
    return replace(grounds, cuts=found, uncut=plain(shaped(without.values, leaf), limit))
