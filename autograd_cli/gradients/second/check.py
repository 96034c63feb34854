"""All witnesses of a run's second derivative, gathered and judged pair by pair."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch

from autograd_cli.gradients.check import Options, derivatives, few_threads
from autograd_cli.gradients.evidence import Bench
from autograd_cli.gradients.exact import Exact
from autograd_cli.gradients.known import Outcome
from autograd_cli.gradients.replay import ReplayError, quiet
from autograd_cli.gradients.second.evidence import BlockEvidence, Differences
from autograd_cli.gradients.second.formulas import Paper, Papers
from autograd_cli.gradients.second.guilty import without_second
from autograd_cli.gradients.second.judge import UNKNOWN, judged
from autograd_cli.gradients.second.leaves import complex_ones, empty_block, pairs, real, reason
from autograd_cli.gradients.second.passes import MOST, Passes, Plan, planned, rounding_of
from autograd_cli.gradients.second.references import References, probe
from autograd_cli.gradients.second.surface import ONCE, Surface, is_once
from autograd_cli.report import Verdict, Witness
from autograd_cli.report.second import Second, SecondBlock
from autograd_cli.report.values import index_of
from autograd_cli.run.tape import Run
from autograd_cli.run.values import dtype_of, plain
from autograd_cli.symbolic.unparse import unparse

PRODUCT = (
    f"more than {MOST} elements in all: not the Hessian, but its product with a seeded direction "
    "of +1 and -1 in each leaf"
)


def second(run: Run, cotangent: torch.Tensor | None, options: Options | None = None) -> Second:
    """The second derivative of the output's product with a cotangent (None for ones), judged.

    Of a scalar output that is its own. Where there is none to be had the record says why.
    """
    options = options or Options()
    of = _subject(run, cotangent)
    bench = Bench(run, cotangent, options.rtol, options.atol)
    if why := reason(bench):
        return Second("", of, sentence=why)
    with few_threads(run), quiet():
        try:
            return _Check(bench, options).record(of)
        except ReplayError as error:
            return Second("", of, sentence=str(error))


def _subject(run: Run, cotangent: torch.Tensor | None) -> str:
    """What is differentiated where that is not the output itself."""
    if not isinstance(run.output, torch.Tensor) or (not run.output.ndim and cotangent is None):
        return ""
    return "the sum of its elements" if cotangent is None else "its sum weighed with the cotangent"


@dataclass
class _Check:
    """The second derivative of one run, its parts made when first asked for."""

    bench: Bench
    options: Options

    def record(self, of: str) -> Second:
        """The record, with a block for each pair of leaves; used once."""
        error, bench = self._refused() if self.names else "", self.bench
        blocks = self._blocks(error)
        if any(one.verdict is Verdict.WRONG for one in blocks) and self._passes_over():
            error = ONCE
            blocks = self._blocks(error)
        kind, sentence = ("hessian", "") if not self.names or self.plan.whole else ("product", PRODUCT)
        at = without_second(bench.run) if error else ""
        said = "; ".join(filter(None, (sentence, complex_ones(bench))))
        return Second(kind, of, blocks, said, error, at)

    def _blocks(self, error: str) -> tuple[SecondBlock, ...]:
        """The blocks of all pairs; `error` is why autograd has none."""
        bench = self.bench
        return tuple(
            empty_block(bench, one, other) or self._block(one, other, error) for one, other in pairs(bench)
        )

    def _passes_over(self) -> bool:
        """Whether torch went past a backward that is marked once_differentiable, and left its part out."""
        replay = self.bench.replay
        assert replay is not None
        leaves = {name: replay.leaves[name].detach().clone().requires_grad_() for name in self.names}
        with replay.session(), torch.enable_grad():
            return is_once(replay(leaves), leaves, self.bench.cotangent)

    def _refused(self) -> str:
        """Why autograd has no second pass; empty where it has one."""
        try:
            _ = self.passes.given
        except ReplayError as raised:
            return str(raised)
        return ""

    @cached_property
    def names(self) -> list[str]:
        """The leaves that something can be moved of."""
        return real(self.bench)

    @cached_property
    def surface(self) -> Surface:
        """The function of all leaves."""
        assert self.bench.replay is not None
        noise = self.bench.rounding.noise if self.bench.rounding else 0.0
        with self.bench.replay.session():
            return Surface(self.bench.replay, self.names, self.bench.cotangent, noise)

    @cached_property
    def plan(self) -> Plan:
        """Which second passes are made."""
        return planned(self.surface)

    @cached_property
    def passes(self) -> Passes:
        """Autograd's second passes."""
        return Passes(self.bench, self.names, self.plan)

    @cached_property
    def references(self) -> References:
        """Second derivatives by differences."""
        return References(self.surface, self.plan, rounding_of(self.bench, self.names))

    @cached_property
    def papers(self) -> Papers:
        """Second derivatives on paper."""
        return Papers(self.bench.run, derivatives(self.bench.run, self.options))

    def _block(self, one: str, other: str, error: str) -> SecondBlock:
        """The block of a pair of leaves; `error` is why autograd has none."""
        view = _View(self, one, other)
        wanted = self.options.witnesses
        paper = self.papers.block(one, other, self.plan.whole) if Witness.SYMBOLIC in wanted else None
        exact = view.evaluated(paper) if paper and paper.formula is not None else None
        numeric = self._numeric(one, other) if Witness.NUMERIC in wanted else None
        slopes = None if error or Witness.NUMERIC not in wanted else self._slopes(one, other)
        parts = view.parts(paper, exact, numeric, slopes)
        if error:
            sentence = f"autograd has no second derivative here: {error}"
            return SecondBlock(**parts | {"verdict": Verdict.NO_GRAPH, "sentence": sentence})
        if Witness.AUTOGRAD in wanted and (exact or numeric):
            parts |= view.judgement(exact, numeric, slopes)
        elif Witness.AUTOGRAD in wanted:
            parts |= view.alone()
        return SecondBlock(**parts)

    def _numeric(self, one: str, other: str) -> Differences:
        assert self.bench.replay is not None
        with self.bench.replay.session():
            return self.references.numeric(one, other)

    def _slopes(self, one: str, other: str) -> Differences:
        assert self.bench.replay is not None
        with self.bench.replay.session():
            return self.references.slopes(one, other)


@dataclass
class _View:
    """One block: its places in the second pass, and what is written of it."""

    check: _Check
    one: str
    other: str

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape of its values."""
        leaves = self.check.bench.run.leaves
        other = tuple(leaves[self.other].shape) if self.check.plan.whole else ()
        return (*leaves[self.one].shape, *other)

    def of(self, rows: torch.Tensor) -> torch.Tensor:
        """Its elements (…, k) in second passes (…, m, n): by the first leaf, then by the second."""
        plan, part = self.check.plan, self.check.surface.parts[self.one]
        return rows[..., plan.rows[self.other], part].transpose(-1, -2).flatten(-2)

    def asymmetry(self, rows: torch.Tensor) -> torch.Tensor:
        """How far the blocks of the pair in both orders are apart: by element, or along the directions."""
        mirrored = _View(self.check, self.other, self.one)
        if self.check.plan.whole:
            sizes = [self.check.bench.run.leaves[name].numel() for name in (self.other, self.one)]
            back = mirrored.of(rows).reshape(sizes).T.reshape(-1)
            return (self.of(rows) - back).abs()
        forth, back = self._along(self.of(rows), self.one), mirrored._along(mirrored.of(rows), self.other)
        return (forth - back).abs().reshape(1)

    def _along(self, product: torch.Tensor, name: str) -> torch.Tensor:
        plan = self.check.plan
        return product @ plan.directions[plan.rows[name].start, self.check.surface.parts[name]]

    def evaluated(self, paper: Paper) -> Exact:
        """The value of a formula, as elements of the block."""
        assert paper.formula is not None
        check, like = self.check, torch.empty(self.shape, dtype=torch.float64)
        leaf = check.bench.run.leaves[self.other]
        by_name = paper.by_name
        if by_name is None:
            return check.papers.evaluated(
                paper.formula, like, self.other, torch.ones(leaf.shape, dtype=torch.float64)
            )
        columns = list(self._columns(by_name))
        failed = next((column for column in columns if column.values is None), None)
        if failed is not None:
            return replace(failed, formula=unparse(paper.formula))
        values = torch.stack([column.values for column in columns if column.values is not None], 1).reshape(
            -1
        )
        return Exact(unparse(paper.formula), values, lambda: _doubts(columns))

    def _columns(self, formula: Any) -> Iterator[Exact]:
        """What a formula gives applied to each direction in the second leaf."""
        plan, run = self.check.plan, self.check.bench.run
        rows, part = plan.rows[self.other], self.check.surface.parts[self.other]
        like = torch.empty(run.leaves[self.one].shape, dtype=torch.float64)
        for direction in plan.directions[rows, part]:
            at = direction.reshape(run.leaves[self.other].shape)
            yield self.check.papers.evaluated(formula, like, self.other, at)

    def parts(
        self,
        paper: Paper | None,
        exact: Exact | None,
        numeric: Differences | None,
        slopes: Differences | None,
    ) -> dict[str, Any]:
        """The fields of the record that say what each reference gives."""
        reason = (exact.reason if exact else paper.reason) if paper else ""
        along = None if self.check.plan.whole or numeric is None else len(numeric.values)
        return {
            "pair": (self.one, self.other),
            "shape": self.shape,
            "formula": unparse(paper.formula) if paper and paper.formula is not None else None,
            "no_formula": reason,
            "applied": paper.applied if paper else "",
            "symbolic": self._written(exact.values if exact else None),
            "autograd": None,
            "numeric": None if along else self._written(_known(numeric)),
            "error_bar": numeric.widest if numeric else None,
            "differences": self._written(_known(slopes)),
            "differences_bar": slopes.widest if slopes else None,
            "directions": along,
            "asymmetry": None,
            "difference": None,
            "tolerance": None,
            "worst": None,
            "verdict": None,
        }

    def alone(self) -> dict[str, Any]:
        """The field of the record that holds autograd's values, with nothing to hold them against."""
        return {"autograd": self._written(self.of(self.check.passes.given.rows))}

    def judgement(
        self, exact: Exact | None, numeric: Differences | None, slopes: Differences | None
    ) -> dict[str, Any]:
        """The fields of the record that hold autograd's values and the verdict on them."""
        given = self.of(self.check.passes.given.rows)
        evidence = self._evidence(given, exact, None if not self.check.plan.whole else numeric, slopes)
        outcomes = [judged(evidence)]
        if numeric is not None and not self.check.plan.whole:
            seen = numeric if slopes is None or slopes.rough else numeric.smooth()
            along = judged(self._projected(evidence, seen))
            outcomes.append(along and replace(along, worst=None))
        asymmetry = self.asymmetry(self.check.passes.given.rows)
        parts = {
            "autograd": self._written(given),
            "asymmetry": float(asymmetry.nan_to_num(nan=0.0).max()) if len(asymmetry) else None,
        }
        known = [one for one in (*outcomes, self._unsymmetric(asymmetry, evidence)) if one is not None]
        if not known:
            return parts | {"sentence": UNKNOWN}
        outcome = max(known, key=lambda one: one.verdict.rank)
        return parts | {
            "difference": outcome.difference,
            "tolerance": outcome.tolerance,
            "worst": None if outcome.worst is None else index_of(outcome.worst, self.shape),
            "verdict": outcome.verdict,
            "odd": outcome.odd,
            "kinks": outcome.kinks,
            "sentence": outcome.sentence,
        }

    def _evidence(
        self,
        given: torch.Tensor,
        formula: Exact | None,
        numeric: Differences | None,
        slopes: Differences | None,
    ) -> BlockEvidence:
        passes, options = self.check.passes, self.check.options
        exact, samples = self.of(passes.exact.rows), self.of(passes.samples)
        spread = passes.spread(self.one, exact, samples)
        own = options.rtol is not None or options.atol is not None
        allowed = (options.atol or 0.0) + (options.rtol or 0.0) * exact.abs() if own else None
        leaf = self.check.bench.run.leaves[self.one]
        return BlockEvidence(
            given=given,
            exact=exact,
            allowed=passes.allowed(spread) if allowed is None else allowed,
            fine=spread.reference(exact, samples),
            dtype=dtype_of(leaf),
            eps=spread.eps,
            formula=formula.values if formula else None,
            doubt=formula.doubt if formula else None,
            numeric=numeric,
            slopes=slopes,
            is_flat=self.other in passes.exact.flat,
            is_cut=self.one in passes.exact.cut,
        )

    def _projected(self, evidence: BlockEvidence, numeric: Differences) -> BlockEvidence:
        """The evidence along the directions that the function alone was looked at."""
        size = len(evidence.given)
        probes = torch.stack([probe(size, number) for number in range(len(numeric.values))])
        formula, doubt = evidence.formula, evidence.doubt
        return replace(
            evidence,
            given=probes @ evidence.given,
            exact=probes @ evidence.exact,
            allowed=(probes.abs() @ evidence.allowed),
            fine=(probes.abs() @ evidence.fine),
            formula=None if formula is None else probes @ formula,
            doubt=None if doubt is None else lambda: probes.abs() @ doubt(),
            numeric=numeric,
            slopes=None,
        )

    def _unsymmetric(self, asymmetry: torch.Tensor, evidence: BlockEvidence) -> Outcome | None:
        """WRONG where autograd's blocks of the pair in both orders are not the same; else None."""
        room = 2 * (evidence.allowed if self.check.plan.whole else evidence.allowed.sum().reshape(1))
        off = asymmetry > room
        if not off.any():
            return None
        place = int(torch.where(off, asymmetry / room, -1.0).argmax())
        apart, allowed = float(asymmetry[place]), float(room[place])
        sentence = f"autograd is not symmetric: by {self.other} and then {self.one} it is {apart:.3g} away"
        worst = place if self.check.plan.whole else None
        return Outcome(Verdict.WRONG, worst, apart, allowed, Witness.AUTOGRAD, sentence)

    def _written(self, values: torch.Tensor | None) -> Any:
        """Elements as plain data in the shape of the block."""
        return None if values is None else plain(values.reshape(self.shape), self.check.options.limit)


def _known(reference: Differences | None) -> torch.Tensor | None:
    """The values of a reference, if it has any."""
    return None if reference is None or reference.values.isnan().all() else reference.values


def _doubts(columns: Sequence[Exact]) -> torch.Tensor:
    """What rounding does to columns, in the order of a block's elements."""
    made = [
        column.doubt() if column.doubt is not None else torch.zeros_like(column.values)
        for column in columns
        if column.values is not None
    ]
    return torch.stack(made, 1).reshape(-1)
