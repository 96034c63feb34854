"""Reverse mode on paper: cotangents go down the tape, formulas come out at the bindings."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from autograd_cli.lang.functions import by_path
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.nodes import Attribute, Expr, Keyword, Name, Number, Sequence as Listed, children, walk
from autograd_cli.lang.swift import swift
from autograd_cli.report import Step, below, under
from autograd_cli.symbolic.build import in_plain_names, text_in_plain_names
from autograd_cli.symbolic.indexing import items_back
from autograd_cli.symbolic.merged import merged
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand
from autograd_cli.symbolic.rules import contributions, contributions_of_several, is_elementwise
from autograd_cli.symbolic.tape import Tape
from autograd_cli.symbolic.terms import ONE, Term, factor_term
from autograd_cli.symbolic.unparse import unparse
from autograd_cli.symbolic.unsaid import said
from autograd_cli.symbolic.values import Value, like, reduced

LONGEST = 200
"""Operations above which no formula is made: it would not be read."""

GIVEN = "g"
"""What the cotangent is called in what one step hands down."""


@swift
@dataclass(frozen=True)
class Derivative:
    """The derivative of the output by one binding, of the binding's shape.

    Without a `formula`, `reason` says why there is none. `shapes` says how the formula
    gets its shape, empty where that is plain; `notes` explain numbers in it.
    """

    formula: Expr | None
    reason: str = ""
    shapes: str = ""
    notes: tuple[str, ...] = ()


@swift
@dataclass(frozen=True)
class Arrived:
    """What has come down to one step: the cotangent, or the reason why it is not known.

    `place` is where in the source the step's value is used, which orders the summands.
    `item` says at which of several results it has arrived.
    """

    value: Value
    reason: str = ""
    notes: tuple[tuple[int, str], ...] = ()
    place: int = 0
    item: int | None = None

    def plus(self, other: "Arrived") -> "Arrived":
        """Both together, with what `self` brought written first."""
        return Arrived(
            self.value.plus(other.value),
            self.reason or other.reason,
            tuple(dict.fromkeys(self.notes + other.notes)),
        )


def differentiate(
    steps: Sequence[Step],
    root: int,
    wrt: Sequence[int],
    cotangent: Expr | None = None,
    hidden: Collection[str] = (),
) -> dict[int, Derivative]:
    """The derivative of the value of step `root` by each binding step in `wrt`.

    The cotangent of an output that is not a scalar is `cotangent`, else ones. Names in
    `hidden`, and those of the bindings on the tape, are not taken for functions.
    """
    reached = under(steps, root)[::-1]
    if sum(steps[i].kind == "call" for i in reached) > LONGEST:
        return dict.fromkeys(wrt, Derivative(None, f"longer than {LONGEST} operations"))
    steps, left = merged(said(steps), reached[::-1])
    reached = left[::-1]
    active = _active(steps, reached, wrt)
    if any("complex" in (steps[i].dtype or "") for i in active):
        return dict.fromkeys(wrt, Derivative(None, "complex numbers have no derivative rules yet"))
    root = reached[0]
    start = Term() if cotangent is None else factor_term(cotangent, steps[root].shape or ())
    arrived = {root: [Arrived(Value((start,), steps[root].shape or ()))]}
    tape = Tape(steps, active)
    for index in reached:
        if index in active and index in arrived and steps[index].kind == "call":
            _pass_down(tape, steps[index], arrived)
    names = {s.name for s in steps if s.kind == "binding"} | set(hidden)
    draws = _equal_draws(steps, reached)
    return {
        i: _derivative(steps[i], _total(_whole(tape, steps[i], arrived.get(i, []))), names, draws)
        for i in wrt
    }


def _total(arrived: Iterable[Arrived]) -> Arrived | None:
    """All that has arrived, in the order of the source; None where nothing has."""
    ordered = sorted(arrived, key=lambda one: one.place)
    return reduce(Arrived.plus, ordered) if ordered else None


def _active(steps: Sequence[Step], reached: Sequence[int], wrt: Sequence[int]) -> set[int]:
    """The steps through which gradients pass from the output to a binding in `wrt`."""
    active = set(wrt)
    for index in reversed(reached):
        step = steps[index]
        if step.kind == "call" and _carries(step) and any(i in active for i in below(step)):
            active.add(index)
    return active


def _carries(step: Step) -> bool:
    """Whether gradients pass; of a step with several results the function table says so."""
    if step.shape is not None:
        return step.requires_grad
    row = by_path.get(step.path)
    return row is None or row.differentiable


def _pass_down(tape: Tape, step: Step, arrived: dict[int, list[Arrived]]) -> None:
    """Hand to each active operand of `step` what it gets of the step's own cotangent."""
    made, came = tape.call(step), _whole(tape, step, arrived[step.index])
    notes = dict.fromkeys(note for one in came for note in one.notes)
    try:
        if reason := next((one.reason for one in came if one.reason), ""):
            raise NoRuleError(reason)
        passed = [
            (target, Arrived(reduced(value, target.shape), "", (*notes, *made.notes), item=target.item))
            for target, value in _passed(made, came)
        ]
    except NoRuleError as error:
        passed = [(o, Arrived(Value((), o.shape), str(error))) for o in made.all_operands if o.active]
    seen: Counter[int] = Counter()
    for target, one in passed:
        assert target.step is not None
        index = target.step.index
        place = _place(step, target.step, seen[index])
        arrived.setdefault(index, []).append(replace(one, place=place))
        seen[index] += 1


def _whole(tape: Tape, step: Step, came: list[Arrived]) -> list[Arrived]:
    """What has arrived at a tensor, with what came to single items of it put together."""
    items = [one for one in came if one.item is not None]
    if step.shape is None or not items:
        return came
    back = items_back(tape.of_step(step, None), 0, _by_item(items))
    notes = tuple(dict.fromkeys(note for one in items for note in one.notes))
    reason = next((one.reason for one in items if one.reason), "")
    whole = Arrived(back, reason, notes, min(one.place for one in items))
    return [*(one for one in came if one.item is None), whole]


def _by_item(came: Iterable[Arrived]) -> dict[int, Value]:
    """The sums of what has arrived, by item."""
    found: dict[int, list[Arrived]] = {}
    for one in came:
        if one.item is not None:
            found.setdefault(one.item, []).append(one)
    totals = {item: _total(found[item]) for item in sorted(found)}
    return {item: total.value for item, total in totals.items() if total is not None}


def _passed(made: Call, came: Sequence[Arrived]) -> Iterable[tuple[Operand, Value]]:
    """What a call passes of all that has arrived at it, or at each of its results."""
    if made.step.shape is not None:
        total = _total(came)
        assert total is not None
        return contributions(made, total.value)
    return contributions_of_several(made, _by_item(came))


def _place(user: Step, used: Step, nth: int) -> int:
    """Where the source of `user` names the value of `used` for the nth time."""
    pending, found = [user.expr], []
    while pending:
        node = pending.pop()
        if isinstance(node, Name) and node.id == used.name:
            found.append(node.span.start)
        elif node is user.expr or isinstance(node, Attribute | Keyword | Listed):
            pending.extend(children(node))
    return sorted(found)[min(nth, len(found) - 1)] if found else user.expr.span.start


def _equal_draws(steps: Sequence[Step], reached: Sequence[int]) -> list[str]:
    """The texts of random draws that stand in the source more than once."""
    rows = ((steps[i].expr, by_path.get(steps[i].path)) for i in reached if steps[i].kind == "call")
    drawn = [expr for expr, row in rows if row is not None and row.kind is Kind.RANDOM]
    if len(drawn) < 2:
        return []
    counts = Counter(map(unparse, drawn))
    return [text for text, count in counts.items() if count > 1]


def _derivative(
    step: Step, arrived: Arrived | None, names: Collection[str], draws: Sequence[str]
) -> Derivative:
    """The formula at one binding."""
    arrived = arrived or Arrived(Value((), step.shape or ()))
    if arrived.reason:
        return Derivative(None, arrived.reason)
    expr, shapes = like(arrived.value, step.expr)
    formula = in_plain_names(expr, names)
    if draws and any(draw in unparse(formula) for draw in draws):
        return Derivative(None, "two random draws with the same text")
    return Derivative(formula, shapes=shapes, notes=_notes_on(formula, arrived.notes))


def _notes_on(formula: Expr, notes: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """The notes on numbers that stand in the formula."""
    if not notes:
        return ()
    numbers = {node.value for node in walk(formula) if isinstance(node, Number)}
    return tuple(note for number, note in notes if number in numbers)


class LocalFactors:
    """The derivative of each step of a tape by its own operands, on paper, each found once.

    `exprs` are what the steps' own results are called, where the steps are called otherwise
    when they are operands.
    """

    def __init__(self, steps: Sequence[Step], exprs: Sequence[Expr] = ()) -> None:
        self._steps = [replace(s, expr=e) for s, e in zip(steps, exprs, strict=True)] if exprs else steps
        self._tape = Tape(steps, {s.index for s in steps if s.requires_grad}, apart=False)
        self._names = {s.name for s in steps if s.kind == "binding"}
        self._texts: dict[int, dict[int, str]] = {}

    def of(self, index: int) -> dict[int, str]:
        """The text of the derivative of step `index` by each of its tensor operands, by their position.

        For elementwise functions and for scalars; an operand without a rule is left out.
        """
        found = self._texts.get(index)
        if found is None:
            found = self._texts[index] = self._found(self._steps[index])
        return found

    def handed(self, index: int) -> dict[int, str]:
        """What step `index` hands to each of its tensor operands, by position, for the cotangent GIVEN.

        An operand without a rule, or with one that would not be read, is left out.
        """
        step, given = self._steps[index], factor_term(Name(GIVEN), self._steps[index].shape or ())
        if GIVEN in self._names:
            return {}
        try:
            found = contributions(self._tape.call(step), Value((given,), step.shape or ()))
            return {
                target.position: text_in_plain_names(reduced(value, target.shape).written(), self._names)
                for target, value in found
                if target.position is not None and target.item is None
            }
        except NoRuleError:
            return {}

    def _found(self, step: Step) -> dict[int, str]:
        try:
            found = contributions(self._tape.call(step), Value((ONE,), step.shape or ()))
        except NoRuleError:
            return {}
        plain = is_elementwise(step.key) or step.key == "pow"
        return {
            target.position: text_in_plain_names(value.written(), self._names)
            for target, value in found
            if target.position is not None
            and target.item is None
            and (plain or target.shape == step.shape == ())
        }
