"""A value and how it was made, and what a program's run leaves.

While a program runs, values point to the values that they were made of, so that what no
name and no later value can reach is freed as Python frees it. Only the values under a root
are laid out as a tape: see `slices`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from autograd_cli.errors import Span
from autograd_cli.lang.functions.rows import Function
from autograd_cli.lang.nodes import Expr, Program, Statement
from autograd_cli.report import Change, Made
from autograd_cli.run.mutations import Mutations
from autograd_cli.run.settings import Settings
from autograd_cli.run.tape import BoundValue, Failure

NONE_NAMED: dict[str, Any] = {}
"""The keywords of a call without any; never written to."""


class Traced:
    """One expression evaluated: its value, what was called on what, and when.

    `kind` is "binding" (a value from outside), "constant" (a Python value that was computed,
    pi, a dtype) or "call". `args` and `kwargs` hold Traced values, Python values and
    sequences of them; `exprs` are the nodes of the arguments, in the order of `args` and
    then `kwargs`. `number` counts the values of a run from 0. `grad_fns`, `held` and
    `random_state` are as in `LiveStep`. `name` is the binding's, or the variable that it
    was assigned to first. An in-place call gives a new Traced with the same tensor, and
    names of that tensor are moved to it. `memory` holds the in-place calls on the memory of
    the value, one list for all values that share it (see `wrote`), None where there was none.
    `moved` holds what stands for the same tensor object now, shared by all that do: `now`.
    `untracked` says that the memory was written behind torch's back, through .data or NumPy.
    """

    __slots__ = (
        "args", "call", "expr", "exprs", "function", "grad_fns", "held", "kind", "kwargs",
        "memory", "moved", "name", "number", "random_state", "untracked", "value",
    )  # fmt: skip

    def __init__(
        self,
        number: int,
        expr: Expr,
        kind: str,
        value: Any,
        function: Function | None = None,
        call: Callable[..., Any] | None = None,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        exprs: tuple[Expr, ...] = (),
        grad_fns: tuple[torch.autograd.graph.Node, ...] = (),
        held: bool = False,
        name: str = "",
        random_state: torch.Tensor | None = None,
    ) -> None:
        self.number = number
        self.expr = expr
        self.kind = kind
        self.value = value
        self.function = function
        self.call = call
        self.args = args
        self.kwargs = NONE_NAMED if kwargs is None else kwargs
        self.exprs = exprs
        self.grad_fns = grad_fns
        self.held = held
        self.name = name
        self.random_state = random_state
        self.memory: Memory | None = None
        self.moved: list[Traced | None] | None = None
        self.untracked = False


_new = object.__new__


def called(
    number: int,
    expr: Expr,
    value: Any,
    function: Function | None,
    call: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    exprs: tuple[Expr, ...],
    grad_fns: tuple[torch.autograd.graph.Node, ...],
    held: bool,
    random_state: torch.Tensor | None = None,
) -> Traced:
    """The value of a call; in half of the time that `Traced(…)` takes."""
    made = _new(Traced)
    made.number = number
    made.expr = expr
    made.kind = "call"
    made.value = value
    made.function = function
    made.call = call
    made.args = args
    made.kwargs = kwargs
    made.exprs = exprs
    made.grad_fns = grad_fns
    made.held = held
    made.name = ""
    made.random_state = random_state
    made.memory = made.moved = None
    made.untracked = False
    return made


def now(traced: Traced) -> Traced:
    """What the tensor of `traced` is called by now: itself, or the last in-place call on that object."""
    moved = traced.moved
    return traced if moved is None or moved[0] is None else moved[0]


class Memory(list[Traced]):
    """The in-place calls on one memory, oldest first; `graded` says that a value of it has a graph."""

    graded = False


def memory_of(traced: Traced) -> Memory | None:
    """The in-place calls on the memory that a value has of its own or shares, oldest first."""
    owner: Traced | None = traced
    while owner is not None and owner.memory is None:
        owner = shared_with(owner)
    return None if owner is None else owner.memory


def wrote(made: Traced, target: Traced) -> bool:
    """Note that the in-place call `made` wrote into the memory of `target`; False where nothing needs it.

    To be called right after every in-place call, under no_grad and through .data too: the
    list is that of the value which the memory was made for, so that a write through a view
    or an alias is found from all the others. Memory that no graph was made on needs no
    list: what it held at some moment is known from what was there before each write.
    """
    memory = shared_memory(target)
    made.memory = memory
    if made.grad_fns:
        memory.graded = True
    if memory.graded:
        memory.append(made)
    return memory.graded


def shared_memory(traced: Traced) -> Memory:
    """The list of the in-place calls on a value's memory, from now on one with all that share it."""
    chain, owner = [traced], traced if traced.memory is not None else shared_with(traced)
    while owner is not None and owner.memory is None:
        chain.append(owner)
        owner = shared_with(owner)
    memory = None if owner is None else owner.memory
    if memory is None:
        memory = Memory()
        for one in chain:
            one.memory = memory
            if one.grad_fns:
                memory.graded = True
    traced.memory = memory
    if traced.grad_fns:
        memory.graded = True
    return memory


def shared_with(traced: Traced) -> Traced | None:
    """The argument that a value is a view or an alias of, None where it has its own memory."""
    args, value = traced.args, traced.value
    if not args or type(args[0]) is not Traced or not isinstance(value, torch.Tensor) or value.is_meta:
        return None
    first = args[0]
    whole = first.value
    if whole is value:
        return first
    if not isinstance(whole, torch.Tensor):
        return None
    return first if whole.untyped_storage()._cdata == value.untyped_storage()._cdata else None


UNTRACKED = frozenset({"torch.Tensor.data", "torch.from_numpy", "torch.Tensor.numpy"})
"""Functions whose result torch's version counter does not see written."""


def is_untracked(target: Any) -> bool:
    """Whether torch's version counter misses a write into an argument: `.data`, NumPy's, a view of those."""
    while type(target) is Traced:
        source = target.function
        if target.untracked or (source is not None and source.path in UNTRACKED):
            return True
        below = target.args[0] if target.args else None
        if type(below) is not Traced or below.value is target.value:  # what wrote in place knows by itself
            return False
        if not isinstance(below.value, tuple | list) and shared_with(target) is None:
            return False
        target = below
    return False


@dataclass
class Did:
    """What one execution of a statement did, as plain data; `number` counts from 1."""

    number: int
    made: tuple[Made, ...] = ()
    changed: tuple[Change, ...] = ()
    printed: tuple[str, ...] = ()


@dataclass(slots=True)
class Site:
    """A statement of the program and its first and last execution.

    Of a loop each round counts as one execution. `names` are those that it gives values to.
    Until the facts of the last execution are made, `late` holds what happened in it, `given`
    the values of the names and `at` the number of the next value after it. `raised` is the class
    of the last error that it ended with and that a handler took.
    """

    statement: Statement
    depth: int
    count: int = 0
    first: Did | None = None
    last: Did | None = None
    names: tuple[str, ...] = ()
    late: Any = None
    given: Any = None
    at: int = 0
    raised: str = ""


@dataclass(frozen=True)
class BackwardCall:
    """A backward about to be made, or just made.

    `roots` are where it starts, `cotangents` what is sent into each (None for ones), `inputs`
    the tensors asked for (None for all leaves). `accumulates` is False for
    torch.autograd.grad. `span` is the call's place; `number` counts the backwards of the
    run from 1, `round` those at this place. `names` are the program's variables at this
    moment. `at` is the number that the next Traced gets.
    """

    span: Span
    roots: tuple[Traced, ...]
    cotangents: tuple[torch.Tensor | None, ...]
    inputs: tuple[Traced, ...] | None
    accumulates: bool
    retain_graph: bool
    number: int
    round: int
    names: dict[str, Any]
    at: int


class Observer:
    """Who watches the backwards of a run; what it does not look at it leaves as it is here."""

    def begin(self, ran: "Ran") -> None:
        """Called once before the first statement, with the Ran that grows as the program runs."""

    def before(self, call: BackwardCall) -> None:
        """Called right before the backward, when the graph stands and nothing is freed."""

    def after(self, call: BackwardCall, error: Exception | None) -> None:
        """Called right after it, also where torch raised `error`."""


@dataclass(frozen=True)
class Accumulated:
    """A backward that added to a `.grad` which had been looked at before.

    `leaf` is the leaf's name, `held` what its .grad held, `since` the line of the backward
    that left it there; `seen` is the line where it was read, printed or used by a step.
    """

    leaf: str
    span: Span
    held: Any
    since: int
    seen: int
    how: str


@dataclass(frozen=True)
class Passed:
    """A backward that was made, without its tensors, so that it keeps nothing alive.

    `span`, `accumulates`, `retain_graph` and `at` are those of its BackwardCall, `roots` the
    numbers of the values it started from; `leaf` says that one of these is a leaf itself, so
    that nothing but its own `.grad` is reached.
    """

    span: Span
    roots: tuple[int, ...]
    accumulates: bool
    retain_graph: bool
    at: int
    leaf: bool

    @classmethod
    def of(cls, call: BackwardCall) -> "Passed":
        """What is kept of `call`."""
        numbers = tuple(root.number for root in call.roots)
        leaf = any(root.value.is_leaf for root in call.roots)
        return cls(call.span, numbers, call.accumulates, call.retain_graph, call.at, leaf)


@dataclass
class Ran:
    """A program that was run, to its end or to its failure.

    `names` are the module's variables in the end: Traced or Python values. `last` is the
    last value of a statement that has a grad_fn, `value` that of the last expression
    statement. `failed` is the statement of the failure. `backwards` are those that torch made,
    in their order. `warned` are torch's warnings with
    the place of the call that gave them. `values` are all values of an expression in the
    order in which they were made, those beside its root too; empty for a program.
    """

    program: Program
    bindings: tuple[BoundValue, ...]
    settings: Settings
    mutations: Mutations
    sites: list[Site] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)
    last: Traced | None = None
    value: Any = None
    failure: Failure | None = None
    failed: Statement | None = None
    warned: list[tuple[str, Span]] = field(default_factory=list)
    accumulated: list[Accumulated] = field(default_factory=list)
    backwards: list[Passed] = field(default_factory=list)
    values: list[Traced] = field(default_factory=list)
