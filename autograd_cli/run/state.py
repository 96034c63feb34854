"""What one run of a program keeps while it runs, shared by all that its source is compiled to."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from autograd_cli.errors import AgxError, LimitError, Span, is_out_of_memory
from autograd_cli.lang.functions.rows import Function
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.faults import is_fault
from autograd_cli.run.leaves import Leaves
from autograd_cli.run.limits import out_of_memory
from autograd_cli.run.nested import check_depth, is_nested, is_table, rebuilt
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import Failure, Operand
from autograd_cli.run.traced import Observer, Ran, Site, Traced, now

TENSORS = frozenset({torch.Tensor, torch.nn.Parameter})
"""The types of tensors; asking `type(v) in TENSORS` takes a tenth of what `isinstance` takes on a number."""

Frame = dict[str, Any]
"""The variables of a module or of one call of a function, by name: arguments."""

Get = Callable[[Frame], Any]
"""An expression compiled: evaluates it among these variables and gives the argument that it is.

An argument is a Traced, a Python value, or a list, a tuple or a slice of arguments.
"""


class State:
    """The counters, the variables and the events of one run.

    `number` is that of the next value, `values` all of them for an expression, None for a
    program. `site` is the statement being executed, `events` what it did so far, `late` the
    sites whose last execution is still to be told. `gone` are the names of the module that an
    `except` has taken away, with what they meant before the program.
    """

    __slots__ = (
        "backwards", "bindings", "called", "device", "events", "failure", "gone", "late", "leaves", "line_of",
        "most", "mutations", "names", "number", "observer", "one_device", "printed", "ran", "returned",
        "settings", "site", "text", "values",
    )  # fmt: skip

    def __init__(self, ran: Ran, observer: Observer | None) -> None:
        self.ran = ran
        self.settings: Settings = ran.settings
        self.text = ran.program.source.text
        self.line_of = ran.program.source.line_of
        self.observer = observer
        self.bindings = {b.name: b for b in ran.bindings}
        self.names: Frame = ran.names
        self.number = 0
        self.most = ran.settings.max_steps
        self.values: list[Traced] | None = ran.values if ran.program.is_expression else None
        self.mutations = ran.mutations
        self.leaves = Leaves()
        self.site: Site | None = None
        self.events: list[Any] = []
        self.late: list[Site] = []
        self.failure: Failure | None = None
        self.gone: set[str] = set()
        self.backwards = 0
        self.called = 0
        self.printed = 0
        self.returned: Any = None
        self.device = ran.settings.device
        self.one_device = _one_device(ran)

    def next(self, node: Expr) -> int:
        """The number of a value about to be made; LimitError AGX606 where there are too many."""
        number = self.number
        if number >= self.most:
            raise self.full(node.span)
        self.number = number + 1
        return number

    def moment(self) -> int:
        """The number of a step of a program that makes no value but writes, so that later writes differ.

        To be asked once it is done; in an expression every step makes a value.
        """
        number = self.number
        if self.values is None:
            self.number = number + 1
        return number

    def full(self, span: Span) -> LimitError:
        """AGX606: the refusal of one more step."""
        return LimitError(
            "AGX606",
            f"The source takes more than {self.most:,} steps, which is the limit.",
            text=self.text,
            span=span,
            hint="Write a tensor operation in place of many steps, or raise the limit with --max-steps.",
        )

    def kept(self, made: Traced) -> Traced:
        """`made`, noted where every value is."""
        if self.values is not None:
            self.values.append(made)
        return made

    def constant(self, node: Expr, value: Any, traced: bool = False) -> Any:
        """A value that no tensor went into: a step of an expression, a plain value in a program."""
        if self.values is None and not traced:
            return value
        return self.kept(Traced(self.next(node), node, "constant", value))

    def failed(
        self,
        error: Exception,
        node: Expr,
        function: Function | None,
        args: tuple[Any, ...] = (),
        exprs: tuple[Expr, ...] = (),
    ) -> None:
        """Note where `error` comes from, unless it was noted further inside or is the interpreter's own.

        Raises LimitError AGX604 in its place where memory ran out, and gives a refusal its place.
        """
        if isinstance(error, AgxError):
            if error.span is None:
                error.text, error.span = self.text, node.span
            return
        if function is not None and is_out_of_memory(error):
            limit = out_of_memory(function, self.settings.max_memory)
            limit.text, limit.span = self.text, node.span
            raise limit from None
        if not is_fault(error) and (self.failure is None or self.failure.error is not error):
            operands = tuple(
                Operand(self.text[expr.span.start : expr.span.end], expr, whole(arg), arg)
                for arg, expr in zip(args, exprs, strict=False)
            )
            self.failure = Failure(node, function, operands, error)

    def passed_on(self, error: Exception, call: Expr) -> None:
        """Note that `error` came out of a call of a function of the program."""
        failure = self.failure
        if failure is not None and failure.error is error:
            self.failure = replace(failure, calls=(*failure.calls, call))


_ELSEWHERE = re.compile(r"\b(to|cuda|device|meta|mps|xpu|type|as_tensor)\b")
"""Words of which one stands in every source that puts a tensor anywhere but on the CPU."""


def _one_device(ran: Ran) -> bool:
    """Whether nothing can put a tensor anywhere but on the CPU, so that devices need no comparing."""
    on_cpu = ran.settings.device == "cpu" and all(
        not isinstance(b.value, torch.Tensor) or b.value.device.type == "cpu" for b in ran.bindings
    )
    return on_cpu and not _ELSEWHERE.search(ran.program.source.text)


def plain(argument: Any) -> Any:
    """The value of an argument; lists stay lists, and those without values of a run stay the same.

    RecursionError for lists too deep in each other for what is given them: see `whole`.
    """
    kind = type(argument)
    if kind is Traced:
        return argument.value
    if kind is list or kind is tuple:
        if is_nested(argument):
            if is_table(argument):
                return [row[:] for row in argument]
            check_depth(argument)
            return rebuilt(argument, plain)
        values = [plain(item) for item in argument]
        return values if kind is list else tuple(values)
    if kind is slice:
        return slice(plain(argument.start), plain(argument.stop), plain(argument.step))
    return argument


def whole(argument: Any) -> Any:
    """The value of an argument, however deep its lists are, to be compared, shown or kept."""
    return rebuilt(argument, plain) if is_nested(argument) else plain(argument)


def plain_two(first: Any, second: Any) -> tuple[Any, Any]:
    """The values of two arguments; a list that both hold is one object in both."""
    if not is_nested(first) and not is_nested(second):
        return plain(first), plain(second)
    made: dict[int, Any] = {}
    return rebuilt(first, plain, made), rebuilt(second, plain, made)


def shallow(argument: Any) -> Any:
    """The value of an argument, a list of arguments as it is."""
    return argument.value if type(argument) is Traced else argument


def current(argument: Any) -> Any:
    """The argument by what its tensor is called now."""
    return now(argument) if type(argument) is Traced and argument.moved is not None else argument


def copied(argument: Any) -> Any:
    """The argument as a value keeps it: its lists may change later."""
    if is_table(argument):
        return [row[:] for row in argument]
    if is_nested(argument):
        return rebuilt(argument, lambda item: item)
    return argument[:] if type(argument) is list else argument
