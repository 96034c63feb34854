"""A program run, from its first statement to its last or to its failure."""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from autograd_cli.errors import AgxError, Span, first_line
from autograd_cli.lang import lookup, nodes, scope
from autograd_cli.lang.nodes import Program
from autograd_cli.run import facts, modes
from autograd_cli.run.expressions import Compiler
from autograd_cli.run.mutations import Mutations
from autograd_cli.run.operations import callable_for
from autograd_cli.run.recording import releasing, taken
from autograd_cli.run.settings import Settings
from autograd_cli.run.state import State, plain
from autograd_cli.run.statements import Statements
from autograd_cli.run.tape import BoundValue
from autograd_cli.run.traced import Observer, Ran, Traced
from autograd_cli.run.values import tensors_in

_DEEPEST = 200_000
"""Frames of Python that a source of the most nodes can need; they take no C stack."""


def run_program(
    program: Program,
    bindings: Sequence[BoundValue],
    settings: Settings,
    observer: Observer | None = None,
    lists: bool = False,
) -> Ran:
    """What the run of `program` leaves; a failure of the program stands in it.

    The value of an expression is one tensor, or with `lists` the list that is written, of which a
    value is made.
    The random state and the default dtype are the caller's: see `torch_state`. Raises
    LanguageError and LimitError where the program asks for what the language does not have.
    """
    ran = Ran(program, tuple(bindings), settings, Mutations())
    state = State(ran, observer)
    if observer is not None:
        observer.begin(ran)
    with _warned(state), modes.kept(settings), releasing(settings.keeps):
        compiler = Compiler(
            state, scope.of(program, [b.name for b in bindings], [use.name for use in settings.uses])
        )
        if program.is_expression:
            _expression(state, compiler, lists)
        else:
            _statements(state, compiler)
    return ran


def _expression(state: State, compiler: Compiler, lists: bool) -> None:
    """Run a source of one expression; the value is the one tensor to look at, or with `lists` a list."""
    node = state.ran.program.body
    statements = Statements(state, compiler)
    step = statements.statement(state.ran.program.statements[0], 0)
    try:
        step(state.names)
        root = _root(state, node, state.ran.value)
        is_list = lists and isinstance(node, nodes.Sequence)
        state.ran.value = root if is_list else _one_tensor(state, node, root)
    except AgxError:
        raise
    except Exception as error:
        _fail(state, error)


def _root(state: State, node: nodes.Expr, argument: Any) -> Traced:
    """The value of a source as a step of its own."""
    if type(argument) is Traced:
        return argument
    value = plain(argument)
    if isinstance(argument, list | tuple) and tensors_in(value):
        return taken(state, node, type(argument), (argument,), value)
    made: Traced = state.constant(node, value, traced=True)
    return made


def _one_tensor(state: State, node: nodes.Expr, root: Traced) -> Traced:
    """The step of the tensor to look at: of several results the first that requires grad."""
    value = root.value
    if isinstance(value, torch.Tensor) or not isinstance(value, tuple | list):
        return root
    wanted = [place for place, item in enumerate(value) if isinstance(item, torch.Tensor)]
    graded = [place for place in wanted if value[place].requires_grad]
    if not wanted:
        return root
    place = (graded or wanted)[0]
    return taken(state, node, callable_for(lookup.operator("[]")), (root, place), value[place])


def _statements(state: State, compiler: Compiler) -> None:
    """Run the statements of a program until one fails."""
    statements = Statements(state, compiler)
    steps = [statements.statement(each, 0) for each in state.ran.program.statements]
    try:
        for step in steps:
            step(state.names)
            if state.late:
                facts.tell_late(state)
    except AgxError:
        facts.tell_late(state)
        raise
    except Exception as error:
        _fail(state, error)
        facts.tell_late(state)


def _fail(state: State, error: Exception) -> None:
    """Keep where a program failed, and what its last statement did before.

    What was noted at no place of the source is the interpreter's own error: it is raised again.
    """
    ran, site = state.ran, state.site
    facts.flush(state)
    failure = state.failure
    if failure is None or failure.error is not error:
        raise error
    ran.failure = failure
    ran.failed = None if site is None else site.statement


@contextmanager
def _warned(state: State) -> Iterator[None]:
    """torch's warnings kept with the place of the call that gave them; room for closures in each other."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")

        def keep(message: Warning | str, *_: Any, **__: Any) -> None:
            text = message if isinstance(message, str) else first_line(message)
            state.ran.warned.append((text, _place(state)))

        warnings.showwarning = keep
        always, deepest = torch.is_warn_always_enabled(), sys.getrecursionlimit()
        torch.set_warn_always(True)  # what torch says once a process, every run of it says
        sys.setrecursionlimit(max(deepest, _DEEPEST))
        try:
            yield
        finally:
            sys.setrecursionlimit(deepest)
            torch.set_warn_always(always)


def _place(state: State) -> Span:
    """The place of the call being made: that of the innermost closure of a node on the stack."""
    frame = sys._getframe(1)
    while frame is not None:
        node = frame.f_locals.get("node") if frame.f_globals["__name__"].startswith(_ROOM) else None
        if isinstance(node, nodes.Expr):
            return node.span
        frame = frame.f_back  # type: ignore[assignment]
    return state.site.statement.span if state.site is not None else Span(0, 0)


_ROOM = __name__.rpartition(".")[0]
