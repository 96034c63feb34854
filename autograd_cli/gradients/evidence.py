"""What a run's gradients are held against: a replay in float64, and what rounding allows."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from math import sqrt

import torch

from autograd_cli.gradients.backward import slopes
from autograd_cli.gradients.difference import Plain, plain
from autograd_cli.gradients.enlarged import enlarged
from autograd_cli.gradients.exact import Exact
from autograd_cli.gradients.grounds.alone import each_alone
from autograd_cli.gradients.known import Evidence, Neighbours
from autograd_cli.gradients.line import Line, components, is_own, shaped
from autograd_cli.gradients.numeric import Chosen, Numeric, numeric
from autograd_cli.gradients.replay import Replay, ReplayError, raised
from autograd_cli.gradients.rounding import Rounding, Spread, rms, rounding
from autograd_cli.gradients.sampler import finfo
from autograd_cli.lang.same import once
from autograd_cli.run.modes import Grad
from autograd_cli.run.tape import Run
from autograd_cli.run.values import dtype_of

_ASIDE = 1e-7  # how far to the side of a point its neighbours are, relative to it
_WIDE = 0.5  # so far values are moved where little would leave them in one cell of what they are added to
_HAIR = 64.0  # so many times its rounding a value is moved to see whether the backward jumps there
_REPEATS = 4
_TIMES = 8  # a few samples' mean error is held to tell the largest within this factor


def _unproportional(errors: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Errors (repeats, n) less the part of what is right that fits them best, by component."""
    errors, right = (t.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0) for t in (errors, right))
    part = (errors * right).sum(0) / right.square().sum(0)
    return errors - part.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0) * right


def _moved(leaf: torch.Tensor, size: float, generator: torch.Generator) -> torch.Tensor:
    """A leaf with each element moved by about that part of it."""
    drawn = torch.randn(leaf.shape, generator=generator, dtype=torch.float64)
    return (leaf * (1 + size * drawn.to(leaf.device))).to(leaf.dtype)


class Bench:
    """One run and one cotangent, with the replay and the tolerances made when first asked for.

    `rtol` and `atol`, where given, stand in for what rounding allows; `elements` is how many
    components of a leaf the numeric witness looks at. `reason` says, after
    the first use, why there is no replay or no float64 backward.
    """

    def __init__(
        self,
        run: Run,
        cotangent: torch.Tensor | None,
        rtol: float | None = None,
        atol: float | None = None,
        elements: Chosen | None = None,
    ) -> None:
        self.run = run
        self.rtol = rtol
        self.atol = atol
        self.elements = elements
        self.given = cotangent
        self.reason = ""
        self.innocent: dict[str, bool] = {}

    def with_cotangent(self, sent: torch.Tensor) -> "Bench":
        """The same run on the same replay, with another cotangent."""
        other = Bench(self.run, sent, self.rtol, self.atol, self.elements)
        other.replay, other.reason = self.replay, self.reason
        return other

    @once
    def cotangent(self) -> torch.Tensor:
        """What the backward started from, in float64; only where there is a replay."""
        output = self.run.output
        given: torch.Tensor = raised(torch.ones_like(output) if self.given is None else self.given)
        return given.broadcast_to(output.shape)

    @once
    def replay(self) -> Replay | None:
        """The tape as a function in float64; None where there is none."""
        try:
            return Replay(self.run)
        except ReplayError as error:
            self.reason = str(error)
            return None

    @once
    def own(self) -> Replay:
        """The tape in the run's own precision, on its device. Raises ReplayError."""
        return Replay(self.run, double=False)

    @once
    def rounding(self) -> Rounding | None:
        """What rounding does to the gradients; None where there is no float64 backward."""
        try:
            return rounding(self.replay, self.cotangent) if self.replay else None
        except ReplayError as error:
            self.reason = str(error)
            return None

    @once
    def strict(self) -> Rounding | None:
        """What rounding would do without casts to lower precision; None where there are none."""
        if self.replay is None or self.rounding is None:
            return None
        leaf = max(spread.eps for spread in self.rounding.spreads.values())
        has_casts = self.least_precise.eps > leaf
        return rounding(self.replay, self.cotangent, cap=leaf) if has_casts else None

    @once
    def least_precise(self) -> torch.finfo:
        """The least precise dtype that a leaf or a step of the run had."""
        assert self.replay is not None
        places = [*self.replay.inputs.values(), *(planned.index for planned in self.replay.plan)]
        values = [self.run.steps[index].value for index in places]
        dtypes = {v.dtype for v in values if isinstance(v, torch.Tensor)}
        return max((finfo(d) for d in dtypes if d.is_floating_point or d.is_complex), key=lambda i: i.eps)

    def numeric(self, name: str) -> Numeric | None:
        """The numeric slopes of a leaf; None, with `reason` set, where they cannot be had."""
        if self.replay is None or name not in self.replay.leaves:
            return None
        try:
            known = self.rounding
            if known is None:
                return numeric(self.replay, name, self.cotangent, 0.0, self.elements)
            opened = known.opened.get(name, ())
            points = known.points.get(name)
            return numeric(self.replay, name, self.cotangent, known.noise, self.elements, opened, points)
        except ReplayError as error:
            self.reason = str(error)
            return None

    def plain(self, name: str, slopes: Numeric, step: float) -> Plain | None:
        """The plain central difference in the run's dtype; None, with `reason` set, without one."""
        assert self.replay is not None
        try:
            with self.replay.session():
                line = Line(self.replay, name, self.cotangent)
            return plain(self.own, line, slopes, step)
        except ReplayError as error:
            self.reason = str(error)
            return None

    def evidence(
        self, name: str, given: torch.Tensor, exact: Exact | None, slopes: Numeric | None
    ) -> Iterator[Evidence]:
        """What there is to judge: by component, and along random directions for a large leaf.

        Nothing where there is no reference or no tolerance.
        """
        spread = self.rounding.spreads.get(name) if self.rounding else None
        has_formula = exact is not None and exact.values is not None
        if spread is None or not (has_formula or slopes):
            return
        whole = self._whole(name, given, exact, slopes, spread)
        if slopes is None or slopes.probes is None:
            yield whole
            return
        if has_formula:
            yield replace(whole, numeric=None, numeric_error=None, slopes={})
        yield self._along(whole, spread, slopes)

    def _whole(
        self, name: str, given: torch.Tensor, exact: Exact | None, slopes: Numeric | None, spread: Spread
    ) -> Evidence:
        strict = self.strict.spreads[name] if self.strict else None
        allowed, fine = spread.both()
        if self.rtol is not None or self.atol is not None:
            allowed = self._allowed(spread, spread.exact, spread.samples)
        return Evidence(
            autograd=components(given),
            formula=exact.values if exact else None,
            doubt=exact.doubt if exact else None,
            numeric=slopes.values if slopes else None,
            numeric_error=slopes.errors if slopes else None,
            slopes=slopes.slopes if slopes else {},
            exact=spread.exact,
            allowed=allowed,
            fine=fine,
            dtype=dtype_of(given),
            eps=spread.eps,
            strict=strict.tolerance(strict.exact, strict.samples) if strict else None,
            lowest=self.least_precise.dtype,
            neighbours=self._neighbours(name),
            repeated=self._repeated(name),
            enlarged=partial(self._enlarged, name),
            keeps=self._keeps,
            innocent=partial(self._is_innocent, name),
            torchs=self._is_torchs,
        )

    def _along(self, whole: Evidence, spread: Spread, slopes: Numeric) -> Evidence:
        """The evidence by component, seen along the directions that the numeric slopes took."""
        assert slopes.probes is not None
        known = [whole.autograd, spread.exact, *([] if whole.formula is None else [whole.formula])]
        seen = slopes.probes.along(torch.stack([*known, *spread.samples]))
        exact, samples = seen[1], seen[len(known) :]
        error, larger, probes = whole.formula_error, whole.enlarged, slopes.probes
        return replace(
            whole,
            autograd=seen[0],
            formula=None if whole.formula is None else seen[2],
            doubt=None if error is None else lambda: error.sum().expand(exact.shape),
            exact=exact,
            allowed=self._allowed(spread, exact, samples),
            fine=spread.reference(exact, samples),
            strict=None,
            neighbours=None,
            repeated=None,
            enlarged=larger and (lambda: probes.along(larger())),
            by_component=False,
        )

    def _allowed(self, spread: Spread, exact: torch.Tensor, samples: torch.Tensor) -> torch.Tensor:
        """What may lie between autograd and a reference."""
        if self.rtol is None and self.atol is None:
            return spread.tolerance(exact, samples)
        return (self.atol or 0.0) + (self.rtol or 0.0) * exact.abs()

    def _neighbours(self, name: str) -> Neighbours:
        """Autograd in float64 a little above and below in the components of a mask."""
        replay = self.replay
        assert replay is not None
        leaf = replay.leaves[name]
        at = components(leaf)

        def both(mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            step = mask * _ASIDE * torch.where(at == 0, 1.0, at.abs())
            moved = [shaped(at + sign * step, leaf) for sign in (1, -1)]
            above, below = (self._gradient(replay, {name: value}, name) for value in moved)
            return above, below

        return both

    def _repeated(self, name: str) -> Callable[[], torch.Tensor]:
        """How far the run's own computation is off, by component, at values rounded otherwise.

        What is the same part of the gradient at all of them is no rounding, which errs either way. The
        other leaves and the cotangent are moved by as much as they round.
        """

        def errors() -> torch.Tensor:
            own, double = self.own, self.replay
            assert double is not None
            leaf, generator = own.leaves[name], torch.Generator().manual_seed(0)
            made, right = list[torch.Tensor](), list[torch.Tensor]()
            for size in [torch.finfo(leaf.dtype).eps, _WIDE] * _REPEATS:
                moved = _moved(leaf, size, generator)
                beside = {n: _moved(v, finfo(v.dtype).eps, generator) for n, v in own.leaves.items()}
                sent = _moved(self.cotangent, finfo(own.dtype).eps, generator)
                made.append(self._gradient(own, {**beside, name: moved}, name, sent))
                right.append(self._gradient(double, {name: raised(moved)}, name))
            noise = _TIMES * rms(_unproportional(torch.stack(made) - torch.stack(right), torch.stack(right)))
            return torch.where(self._jumps(name), 0.0, noise)

        return errors

    def _enlarged(self, name: str) -> torch.Tensor:
        """The run's own gradient made again as it was and by way of larger numbers: (tries, n)."""
        return enlarged(self.own, name, self.cotangent)

    def _jumps(self, name: str) -> torch.Tensor:
        """Where the run's own gradient is another a hair beside, and the same all around: (n,) bool.

        Rounding scatters what it moves. What stands apart from all that lies around it is a backward
        that asks whether something is this very number.
        """
        own, generator, around = self.own, torch.Generator().manual_seed(1), list[torch.Tensor]()
        eps = _HAIR * finfo(own.dtype).eps
        for _ in range(_REPEATS):
            moved = {n: _moved(v, eps, generator) for n, v in own.leaves.items()}
            around.append(self._gradient(own, moved, name, _moved(self.cotangent, eps, generator)))
        here, beside = self._gradient(own, dict(own.leaves), name), torch.stack(around)
        scatter = beside.amax(0) - beside.amin(0)
        return (here - beside.mean(0)).abs() > _TIMES * scatter + sqrt(finfo(own.dtype).eps) * here.abs()

    def _is_innocent(self, name: str) -> bool:
        """Whether every node that the leaf goes into is right by itself."""
        if name not in self.innocent:
            self.innocent[name] = self._are_innocent(name)
        return self.innocent[name]

    def _are_innocent(self, name: str) -> bool:
        """As `_is_innocent`, found out anew."""
        assert self.replay is not None
        try:
            alone = each_alone(self.run, self.replay, name)
        except ReplayError:
            return False
        return not alone.guilty and not alone.missed

    @once
    def _is_torchs(self) -> bool:
        """Whether no function of the run is a person's own."""
        return not self.run.settings.uses and not any(map(is_own, self.run.steps))

    def _keeps(self) -> bool:
        """Whether half of the digits of the run's output are right."""
        assert self.replay is not None
        with self.replay.session():
            right = components(self.replay.recorded()[self.replay.root])
        off = (components(self.run.output) - right).abs().nan_to_num(nan=0.0)
        return bool((off <= sqrt(self.least_precise.eps) * right.abs().max()).all())

    def _gradient(
        self, replay: Replay, values: dict[str, torch.Tensor], name: str, sent: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Autograd's gradient (n,) of one leaf in a replay, at other values, and for another cotangent."""
        value = values[name] = values[name].detach().requires_grad_()
        with replay.session(), Grad(True):
            output = replay(values)
            (made,) = slopes(output, [value], self.cotangent if sent is None else sent)
        return components(torch.zeros_like(value) if made is None else made)
