"""The steps as the rules meet them: calls with their operands, values taken apart into terms."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from autograd_cli.lang.functions import by_path
from autograd_cli.lang.functions.rows import NUMPY_KEYWORDS
from autograd_cli.lang.nodes import Number, Subscript
from autograd_cli.report import Ref, Step
from autograd_cli.symbolic.operands import FLATTENED_POWER, Call, NoRuleError, Operand
from autograd_cli.symbolic.pieces import is_item, shapes_of
from autograd_cli.symbolic.terms import Term, factor_term, number_term

_PLAIN = (bool, int, float, str, tuple, list, type(None))

_BEYOND = 1_000_000
"""The position of a tensor that stands in an argument of several, beyond those of all others."""


class Tape:
    """The steps, with the terms of their values: products taken apart if `apart`."""

    def __init__(self, steps: Sequence[Step], active: Collection[int], apart: bool = True) -> None:
        self.steps = steps
        self.active = active
        self.apart = apart
        self.terms: dict[int, Term] = {}

    def call(self, step: Step) -> Call:
        """The call step `step` with its operands."""
        if is_item(step, self.steps):
            parent = self.of_step(self.steps[step.args[0].index], None)
            return Call(step, (parent, *step.args[1:]), {}, self.of_step(step, None))
        if self.apart and step.key in _JOINED:
            step = _JOINED[step.key](self, step)
        positions = count()
        args = [self.operand(a, positions) for a in step.args]
        kwargs = {NUMPY_KEYWORDS.get(k, k): self.operand(v, positions) for k, v in step.kwargs}
        row = by_path.get(step.path)
        for name in [a.name for a in row.arguments if not a.keyword_only][len(args) :] if row else ():
            if name not in kwargs:
                break
            args.append(kwargs.pop(name))
        out = Operand(step.expr, step.shape or (), self.opaque(step))
        return Call(step, tuple(args), kwargs, out, steps=self.steps)

    def _log_of_share(self, step: Step) -> Step:
        """The logarithm of sigmoid, of 1 - sigmoid or of softmax as one function of what is in there."""
        inner = self._below(step)
        if inner is not None and inner.key in _LOGS:
            return replace(step, key=_LOGS[inner.key], args=inner.args, kwargs=inner.kwargs, path=inner.path)
        if inner is not None and inner.key == "sub" and inner.args[:1] == (1,):
            share = self._below(replace(inner, args=inner.args[1:]))
            if share is not None and share.key == "sigmoid":
                return replace(step, key="log_of_rest", args=share.args, kwargs=share.kwargs, path=share.path)
        return step

    def _times_its_log(self, step: Step) -> Step:
        """x*log(x), in either order, as one function."""
        for x, other in (step.args, step.args[::-1]) if len(step.args) == 2 else ():
            log = self._active(other)
            if log is not None and log.key == "log" and log.args == (x,):
                return replace(step, key="x_log_x", args=(x,), path=log.path)
        return step

    def _over_power(self, step: Step) -> Step:
        """x/u**n, for a whole number n, as one function of x, u and n."""
        power = self._active(step.args[1]) if len(step.args) == 2 and not step.kwargs else None
        if power is None or power.key != "pow" or len(power.args) != 2 or type(power.args[1]) is not int:
            return step
        if not 1 < power.args[1] < FLATTENED_POWER:
            return step
        return replace(step, key="over_power", args=(step.args[0], *power.args), path="")

    def _below(self, step: Step) -> Step | None:
        """The step that is the only argument of `step`, where gradients pass through it."""
        return self._active(step.args[0]) if len(step.args) == 1 and not step.kwargs else None

    def _active(self, given: Any) -> Step | None:
        """The step whose value an argument is, where gradients pass through it."""
        return self.steps[given.index] if isinstance(given, Ref) and given.index in self.active else None

    def operand(self, given: Any, positions: Iterator[int]) -> Any:
        """An argument with every Ref in it made an Operand."""
        if isinstance(given, Ref):
            step = self.steps[given.index]
            if step.shape is None and step.kind == "call" and step.key:
                return self.results(step)
            return self.of_step(step, next(positions) if step.shape is not None else None)
        if isinstance(given, tuple):
            return tuple(self.operand(item, positions) for item in given)
        if isinstance(given, list):
            return [self.operand(item, positions) for item in given]
        if isinstance(given, slice):
            return slice(*(self.operand(part, positions) for part in (given.start, given.stop, given.step)))
        return given

    def of_step(self, step: Step, position: int | None) -> Operand:
        """The value of a step as an operand."""
        value = step.value if isinstance(step.value, _PLAIN) else None
        active = step.index in self.active
        return Operand(step.expr, step.shape or (), self.term(step), position, step, value, active)

    def results(self, step: Step) -> Any:
        """Each of the results of `step` as an operand; the step alone where they are not tensors."""
        try:
            shapes = shapes_of(self.call(step))
        except NoRuleError:
            shapes = []
        if not shapes:
            return self.of_step(step, None)
        active = step.index in self.active
        exprs = [Subscript(step.expr, Number(item)) for item in range(len(shapes))]
        return tuple(
            Operand(expr, shape, factor_term(expr, shape), _BEYOND + item, step, None, active, item)
            for item, (expr, shape) in enumerate(zip(exprs, shapes, strict=True))
        )

    def term(self, step: Step) -> Term:
        """The value of `step` as a term: products and quotients are taken apart."""
        if step.index not in self.terms:
            self.terms[step.index] = self._taken_apart(step)
        return self.terms[step.index]

    def opaque(self, step: Step) -> Term:
        """The value of `step` as a term of one factor."""
        if step.shape is None and isinstance(step.expr, Number) and isinstance(step.value, int | float):
            return number_term(step.value)
        return factor_term(step.expr, step.shape or ())

    def _taken_apart(self, step: Step) -> Term:
        parts = _PRODUCTS.get(step.key)
        plain = self.apart and step.kind == "call" and not step.kwargs and "float" in (step.dtype or "")
        if parts is None or not plain or len(step.args) > 2:
            return self.opaque(step)
        return parts(self, *step.args) or self.opaque(step)

    def of(self, given: Any) -> Term:
        """The term of a raw argument of a step."""
        return self.term(self.steps[given.index]) if isinstance(given, Ref) else number_term(given)

    def _power(self, base: Any, exponent: Any) -> Term | None:
        whole = type(exponent) is int and 0 < abs(exponent) <= FLATTENED_POWER
        return self.of(base).power(exponent) if whole else None


_JOINED: dict[str, Callable[[Tape, Step], Step]] = {
    "log": Tape._log_of_share,
    "mul": Tape._times_its_log,
    "div": Tape._over_power,
}
"""Which calls are seen together with what they were given, by rule key.

What is left out then divides by a value of which the function itself is infinite or NaN at 0.
"""

_LOGS = {"sigmoid": "log_of_share", "softmax": "log_softmax"}
"""What the logarithm of a function of this rule key is, by its own rule key."""

_PRODUCTS: dict[str, Callable[..., Term | None]] = {
    "mul": lambda tape, left, right: tape.of(left).times(tape.of(right)),
    "div": lambda tape, left, right: tape.of(left).times(tape.of(right).power(-1)),
    "neg": lambda tape, operand: Term(-1).times(tape.of(operand)),
    "pow": Tape._power,
}
