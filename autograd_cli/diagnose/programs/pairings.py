"""A column that meets a row where no backward asks: in a metric, under no_grad, in what is printed.

Values that no gradient passes let go of what they were made of, so the program is run again,
and every call of torch is looked at: which compares a column with a row, and which of these end
in one number. A third run stops at the first of them, to know the place.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

from autograd_cli.diagnose.drawing import broadcast
from autograd_cli.diagnose.pairs import Side, all_pairs, is_column_and_row, puts_in_a_one
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.trial import rerun
from autograd_cli.diagnose.statements import targets
from autograd_cli.errors import LimitError, Span
from autograd_cli.lang import nodes
from autograd_cli.report import Finding
from autograd_cli.run.tape import Failure, Operand
from autograd_cli.run.traced import Ran, Traced
from autograd_cli.run.values import tensors_in

_COMPARE = {"sub", "subtract", "eq", "ne", "__sub__", "__rsub__", "rsub", "__eq__", "__ne__"}


_MOST = 4
"""Places that are looked for: each takes a run."""


class _Stopped(Exception):
    """The call that was looked for."""


class _Pairs(TorchFunctionMode):
    """Counts the calls that compare a column with a row; `ended` are those that end in one number.

    With `stop` the call of that number raises instead.
    """

    def __init__(self, stop: int = -1) -> None:
        super().__init__()
        self.stop = stop
        self.count = 0
        self.ended: set[int] = set()
        self.under = WeakTensorKeyDictionary()

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """What torch gives, noted."""
        pair = getattr(func, "__name__", "") in _COMPARE and _are_pairs(args)
        if pair and self.count == self.stop:
            raise _Stopped
        made = func(*args, **(kwargs or {}))
        if pair or len(self.under):
            self._note(made, args, pair)
        return made

    def _note(self, made: Any, args: tuple[Any, ...], pair: bool) -> None:
        found = {n for tensor in tensors_in(args) if tensor in self.under for n in self.under[tensor]}
        if pair:
            found.add(self.count)
            self.count += 1
        if not found or not isinstance(made, torch.Tensor):
            return
        if made.numel() == 1 and made.is_floating_point():
            self.ended |= found
        else:
            self.under[made] = found


def _are_pairs(args: tuple[Any, ...]) -> bool:
    tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
    if len(tensors) != 2:
        return False
    column, row = sorted(tensors, key=lambda tensor: -tensor.ndim)
    return is_column_and_row(column, row)


def unseen(whole: Whole) -> Iterator[Finding]:
    """AGX407 where the differences of all pairs go into one number, each place once."""
    if whole.ran.failure is not None or not _has_both(whole):
        return
    seen = _Pairs()
    ended = sorted(seen.ended)[:_MOST] if _run(whole, seen) is not None else ()
    said: set[Span] = set()
    for failure in (_stopped_at(whole, number) for number in ended):
        sides = None if failure is None else _sides(whole, failure)
        if failure is not None and sides is not None and failure.expr.span not in said:
            said.add(failure.expr.span)
            yield all_pairs(whole, failure.expr, _made(sides), sides)


def _stopped_at(whole: Whole, number: int) -> Failure | None:
    stopped = _run(whole, _Pairs(number))
    return None if stopped is None else stopped.failure


def _run(whole: Whole, mode: _Pairs) -> Ran | None:
    try:
        return rerun(whole.ran, whole.source.text, around=mode)
    except LimitError:
        return None


def _made(sides: list[Side]) -> torch.Tensor:
    return torch.empty(broadcast([tuple(side.value.shape) for side in sides]) or (), device="meta")


def _sides(whole: Whole, failure: Failure) -> list[Side] | None:
    """The operands of the call, unless the column was made so on purpose."""
    operands = [o for o in failure.operands if isinstance(o.value, torch.Tensor)]
    if not isinstance(failure.error, _Stopped) or len(operands) != 2:
        return None
    if any(operand.value.ndim > 1 and _is_meant(whole, operand) for operand in operands):
        return None
    return [Side(operand.expr, operand.value) for operand in operands]


def _is_meant(whole: Whole, operand: Operand) -> bool:
    """Whether the operand's text, or the way its value or name came about, puts in the 1."""
    made = [operand.expr]
    if isinstance(operand.argument, Traced):
        made.append(operand.argument.expr)
    if isinstance(operand.expr, nodes.Name):
        own = [s for s in whole.all_statements if operand.expr.id in targets(s)]
        made += [s.value for s in own if isinstance(s, nodes.Assign)]
    return any(map(puts_in_a_one, made))


def _has_both(whole: Whole) -> bool:
    """Whether names stand for a row and for a matrix of one column, of which pairs can be made."""
    values = (held.value for held in whole.ran.names.values() if isinstance(held, Traced))
    shapes = [tuple(value.shape) for value in values if isinstance(value, torch.Tensor)]
    is_row = any(len(shape) == 1 and shape[0] > 1 for shape in shapes)
    return is_row and any(len(shape) == 2 and shape[1] == 1 for shape in shapes)
