"""One call of an autograd.Function that can be made again, on other values and with other cotangents."""

import inspect
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch

from autograd_cli.gradients.replay import raised
from autograd_cli.run.brought import Applied
from autograd_cli.run.widened import widened

Values = Sequence[Any]
"""The arguments of forward, by position."""


@dataclass
class Returned:
    """What a backward was given and gave back; `saved` are its tensors, `kept` the attributes of its ctx."""

    saved: tuple[torch.Tensor | None, ...]
    kept: dict[str, Any]
    given: tuple[Any, ...]
    made: Any
    changed: bool

    @property
    def values(self) -> tuple[Any, ...]:
        """The values that it returned, one alone as a tuple."""
        return tuple(self.made) if isinstance(self.made, tuple | list) else (self.made,)


@dataclass
class Passed:
    """One backward: the gradients by position, what their backward returned, what was raised."""

    gradients: dict[int, torch.Tensor | None] = field(default_factory=dict)
    returned: Returned | None = None
    outputs: tuple[Any, ...] = ()
    error: Exception | None = None


class Trial:
    """A call of an autograd.Function.

    `values` are its arguments in float64, `slots` the positions of those that a gradient is asked for.
    `dirty` says which arguments forward writes into, `unmarked` holds those that it does so unsaid.
    `draws` lets every call draw random numbers of its own. `is_widened` has casts in its code go to double
    precision: see `widened`.

    Raises what their forward raises.
    """

    def __init__(self, applied: Applied) -> None:
        self.applied = applied
        self.owner = applied.owner
        self.values: tuple[Any, ...] = tuple(map(raised, applied.args))
        self.named = {name: raised(arg) for name, arg in applied.named.items()}
        self.slots = tuple(i for i, arg in enumerate(self.values) if applied.needs[i] and is_real(arg))
        self.seen: list[Returned] = []
        self.state = torch.random.get_rng_state()
        self.draws = False
        self.is_widened = True
        self.probe = _probe(self.owner, self.seen)
        self.dirty, self.unmarked = self._changed()
        outputs = self.forward(self.values)
        self.weighed = tuple(i for i, graded in enumerate(applied.outputs) if graded)
        self.shapes = [tuple(outputs[i].shape) for i in self.weighed]
        self.is_real = all(not outputs[i].is_complex() for i in self.weighed)

    def moved(self, values: Values) -> "Trial | None":
        """The same call on other values; None where forward does not take them, or gives other shapes."""
        made = copy(self)
        made.values = tuple(values)
        try:
            outputs = made.forward(values)
            shapes = [tuple(outputs[i].shape) for i in made.weighed]
        except Exception:  # whatever their forward raises
            return None
        return made if shapes == made.shapes else None

    def as_written(self) -> "Trial":
        """The same call with casts as they are written."""
        made = copy(self)
        made.is_widened = False
        return made

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What forward calls its arguments."""
        skips = 1 if _without_setup(self.owner) else 0
        parameters = list(inspect.signature(self.owner.forward).parameters.values())[skips:]
        plain = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "args")
        count = len(self.values)
        return tuple([*plain, *(f"{rest}[{i}]" for i in range(count))][:count])

    def forward(self, values: Values) -> tuple[Any, ...]:
        """The outputs, without a graph."""
        with torch.no_grad(), widened():
            made = self.probe.apply(*self._given(values), **self.named)
        return made if isinstance(made, tuple) else (made,)

    def ones(self) -> list[torch.Tensor]:
        """Cotangents of ones, for the outputs that a gradient can come to."""
        return [torch.ones(shape, dtype=torch.float64) for shape in self.shapes]

    def drawn(self, seed: int = 0) -> list[torch.Tensor]:
        """Cotangents of which no two elements are alike."""
        generator = torch.Generator().manual_seed(seed)
        return [torch.randn(shape, generator=generator, dtype=torch.float64) for shape in self.shapes]

    def parts(self, values: Values, cotangents: Sequence[torch.Tensor]) -> torch.Tensor:
        """The elements of all outputs, each times its cotangent, of shape (n,)."""
        outputs = self.forward(values)
        return torch.cat([part.reshape(-1) for part in self._weighed(outputs, cotangents)])

    def weigh(self, outputs: Values, cotangents: Sequence[torch.Tensor]) -> torch.Tensor:
        """The sum of all outputs, each times its cotangent."""
        return torch.stack([part.sum() for part in self._weighed(outputs, cotangents)]).sum()

    def _weighed(self, outputs: Values, cotangents: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return [outputs[i] * sent for i, sent in zip(self.weighed, cotangents, strict=True)]

    def leaves(self, values: Values, needs: Sequence[int]) -> list[Any]:
        """The values, those at the positions `needs` as leaves that require grad."""
        made = list(values)
        for position in needs:
            made[position] = made[position].detach().requires_grad_()
        return made

    def call(self, leaves: Values) -> tuple[Any, ...]:
        """The outputs, with a graph where leaves require grad."""
        with torch.enable_grad(), widened(self.is_widened):
            made = self.probe.apply(*self._given(leaves), **self.named)
        return made if isinstance(made, tuple) else (made,)

    def backward(
        self, values: Values, cotangents: Sequence[torch.Tensor], needs: Sequence[int] | None = None
    ) -> Passed:
        """The gradients by the slots `needs`, all where that is None."""
        needs = self.slots if needs is None else needs
        passed = Passed()
        self.seen.clear()
        try:
            leaves = self.leaves(values, needs)
            passed.outputs = self.call(leaves)
            made = torch.autograd.grad(
                [passed.outputs[i] for i in self.weighed],
                [leaves[position] for position in needs],
                [
                    sent.clone() if sent.is_contiguous() else sent for sent in cotangents
                ],  # they may write into it
                allow_unused=True,
            )
            passed.gradients = dict(zip(needs, made, strict=True))
        except Exception as error:  # whatever their code or torch raises is told
            passed.error = error
        passed.returned = self.seen[-1] if self.seen else None
        return passed

    def _given(self, values: Values) -> list[Any]:
        """The arguments, what forward writes into being a copy; what it draws is the same unless `draws`."""
        if not self.draws:
            torch.random.set_rng_state(self.state)
        return [arg.clone() if self.dirty[i] else arg for i, arg in enumerate(values)]

    def _changed(self) -> tuple[tuple[bool, ...], tuple[int, ...]]:
        """Which arguments forward writes into, through .data too; and those that it does not say so of.

        What ctx.mark_dirty names is itself an output.
        """
        given = [each.clone() if isinstance(each, torch.Tensor) else each for each in self.values]
        torch.random.set_rng_state(self.state)
        with torch.no_grad(), widened():
            made = self.probe.apply(*given, **self.named)
        pairs = list(zip(self.values, given, strict=True))
        dirty = tuple(isinstance(a, torch.Tensor) and not _is_as_it_was(a, b) for a, b in pairs)
        outputs = made if isinstance(made, tuple) else (made,)
        said = {id(each) for each in outputs}
        return dirty, tuple(i for i, each in enumerate(given) if dirty[i] and id(each) not in said)


def _is_as_it_was(before: torch.Tensor, after: torch.Tensor) -> bool:
    return before.shape == after.shape and torch.equal(before.nan_to_num(), after.nan_to_num())


def is_real(value: Any) -> bool:
    """Whether a gradient can come to a value."""
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _without_setup(owner: type[torch.autograd.Function]) -> bool:
    """Whether forward takes ctx itself."""
    return owner.setup_context is torch.autograd.Function.setup_context


def backward_of(owner: type[torch.autograd.Function]) -> tuple[str, Callable[..., Any]]:
    """The name and the function of what computes gradients: backward, or vjp."""
    name = "vjp" if owner.vjp is not torch.autograd.Function.vjp else "backward"
    return name, getattr(owner, name)


def _probe(owner: type[torch.autograd.Function], seen: list[Returned]) -> Any:
    """A class like theirs that notes what its backward is given and gives back."""
    name, theirs = backward_of(owner)

    def watched(ctx: Any, *given: Any) -> Any:
        before = [None if g is None else (g._version, g.clone()) for g in given]
        made = theirs(ctx, *given)
        changed = any(b is not None and g._version != b[0] for g, b in zip(given, before, strict=True))
        seen.append(Returned(tuple(ctx.saved_tensors), dict(vars(ctx)), given, made, changed))
        return made

    parts = {name: staticmethod(watched), "__module__": owner.__module__}
    metaclass: Any = type(owner)
    return metaclass(owner.__name__, (owner,), parts)
