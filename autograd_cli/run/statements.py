"""Statements compiled into closures that run them among the variables of a frame.

Each says how it ended: None, or that a loop or a function is to be left. What a statement did
is told at its site the first time, and the last time of a loop once the loop is over.
"""

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from autograd_cli.errors import AgxError
from autograd_cli.lang import nodes
from autograd_cli.lang.bodies import assigned, named
from autograd_cli.lang.nodes import Block, Statement
from autograd_cli.lang.scope import Scope
from autograd_cli.run import facts, modes
from autograd_cli.run.assigning import Store, store
from autograd_cli.run.augmenting import augmented, changer
from autograd_cli.run.deleting import delete
from autograd_cli.run.expressions import Compiler
from autograd_cli.run.facts import NOTHING
from autograd_cli.run.functions import Defined
from autograd_cli.run.handling import BREAK, CONTINUE, RETURN, Step, errors_of, finally_, handled
from autograd_cli.run.imports import check_imports
from autograd_cli.run.iterating import iterated
from autograd_cli.run.questions import MISSING, answered, question
from autograd_cli.run.recording import SCALARS, settled
from autograd_cli.run.state import Frame, Get, State, whole
from autograd_cli.run.traced import NONE_NAMED, Site, Traced

_READS = nodes.Name | nodes.Attribute | nodes.Subscript
"""Expressions whose value is told where one of them ends a program, as a notebook shows it."""


class Statements:
    """Compiles the statements of a module or of a function's body, and lists their sites."""

    def __init__(self, state: State, compiler: Compiler) -> None:
        self.state = state
        self.compiler = compiler

    def block(self, block: Block, depth: int) -> Step:
        """The closure that runs the statements of a block, one after the other."""
        steps = [self.statement(statement, depth) for statement in block]
        if len(steps) == 1:
            return steps[0]

        def run(frame: Frame) -> int | None:
            for step in steps:
                ended = step(frame)
                if ended is not None:
                    return ended
            return None

        return run

    def statement(self, statement: Statement, depth: int) -> Step:
        """The closure that runs one statement."""
        site = Site(statement, depth)
        self.state.ran.sites.append(site)
        return HANDLERS[type(statement)](self, statement, site)

    def evaluate(self, node: nodes.Evaluate, site: Site) -> Step:
        """An expression that stands alone."""
        state, ran, names = self.state, self.state.ran, self.state.names
        is_last = node is ran.program.statements[-1]
        get = self.compiler.compile(node.value) if is_last else answered(self.compiler, node.value)
        if is_last and isinstance(node.value, _READS):
            site.names = (state.text[node.value.span.start : node.value.span.end],)

        def run(frame: Frame) -> None:
            site.count += 1
            state.site = site
            argument = get(frame)
            if type(argument) is Traced and argument.grad_fns:
                ran.last = argument
            if frame is names:
                ran.value = argument
            if state.events and site.late is not None and frame is names:  # as `told` does
                site.late, site.given, site.at = state.events, (argument,), state.number
                state.events = []
            elif state.events or site.count == 1:
                facts.told(state, site, (argument,), frame)

        return run

    def assign(self, node: nodes.Assign, site: Site) -> Step:
        """`target = target = value`."""
        if len(node.targets) == 1 and isinstance(node.targets[0], nodes.Name):
            return self._assign_name(node, node.targets[0].id, site)
        state, get = self.state, self.compiler.compile(node.value)
        stores = [store(self.compiler, target, node.value) for target in node.targets]
        names = site.names = tuple(name for target in node.targets for name in sorted(named(target)))
        if len(stores) == 1 and not names:
            return self._assign_place(get, stores[0], site)

        def run(frame: Frame) -> None:
            site.count += 1
            state.site = site
            argument = get(frame)
            if type(argument) is Traced and argument.grad_fns:
                state.ran.last = argument
            for give in stores:
                give(frame, argument)
            facts.told(state, site, tuple([frame[name] for name in names]), frame)

        return run

    def _assign_name(self, node: nodes.Assign, name: str, site: Site) -> Step:
        state, ran, site.names = self.state, self.state.ran, (name,)
        get, go = self.compiler.compile(node.value), not state.settings.keeps
        ask = question(self.compiler, node.value) if go else None

        def run(frame: Frame) -> None:
            site.count += 1
            state.site = site
            made = MISSING if ask is None else ask(frame)
            if made is MISSING:
                made = get(frame)
            if type(made) is Traced:
                if made.grad_fns:
                    ran.last = made
                    if not made.name:
                        made.name = name
                elif go and made.args and (made.memory is not None or type(made.value) in SCALARS):
                    made.args, made.kwargs = (), NONE_NAMED  # as `settled` does
                    made.name = made.name or name
                elif made.args or not made.name:
                    made = settled(made, name)
            frame[name] = made
            if site.late is NOTHING and not state.events:
                site.given, site.at = (made,), state.number
            else:
                facts.told(state, site, (made,), frame)

        return run

    def _assign_place(self, get: Get, give: Store, site: Site) -> Step:
        """`x.grad = value`, `x[0] = value`: what gives no name a value."""
        state, ran = self.state, self.state.ran

        def run(frame: Frame) -> None:
            site.count += 1
            state.site = site
            argument = get(frame)
            if type(argument) is Traced and argument.grad_fns:
                ran.last = argument
            give(frame, argument)
            if site.late is None or frame is not state.names:
                facts.told(state, site, (), frame)
            else:
                site.late, site.given, site.at = state.events or NOTHING, (), state.number
                state.events = []

        return run

    def augment(self, node: nodes.Augment, site: Site) -> Step:
        """`target op= value`."""
        state, compiler, target = self.state, self.compiler, node.target
        get = compiler.compile(node.value)
        place = nodes.Binary(node.op, target, node.value, span=node.span)
        both = augmented(compiler, place, node.op, (target, node.value))
        names = site.names = (target.id,) if isinstance(target, nodes.Name) else ()
        change = changer(compiler, target, node.value, both, node.op)

        def run(frame: Frame) -> None:
            site.count += 1
            state.site = site
            change(frame, get)
            if state.events:
                facts.told(state, site, (), frame)
                return
            given = (frame[names[0]],) if names else ()
            if site.late is NOTHING:
                site.given, site.at = given, state.number
            else:
                facts.told(state, site, given, frame)

        return run

    def silent(self, node: Statement, site: Site) -> Step:
        """`import` and `pass`, which do nothing."""
        state = self.state
        if isinstance(node, nodes.Import):
            check_imports(node, state.text)

        def run(frame: Frame) -> None:
            site.count += 1
            state.site = site
            if site.count == 1:
                facts.told(state, site, (), frame)

        return run

    def with_(self, node: nodes.With, site: Site) -> Step:
        """`with mode(): body`."""
        state = self.state
        makers = [modes.mode(self.compiler, each) for each in node.modes]
        body = self.block(node.body, site.depth + 1)

        def run(frame: Frame) -> int | None:
            site.count += 1
            state.site = site
            with ExitStack() as stack:
                for make in makers:
                    stack.enter_context(make(frame))
                if site.count == 1 or state.events:
                    facts.told(state, site, (), frame)
                return body(frame)

        return run

    def for_(self, node: nodes.For, site: Site) -> Step:
        """`for target in iterable: body`; each round is one execution."""
        state, get = self.state, self.compiler.compile(node.iterable)
        give = store(self.compiler, node.target, node.iterable)
        names = site.names = tuple(sorted(named(node.target)))
        body = self.block(node.body, site.depth + 1)
        name, most = node.target.id if isinstance(node.target, nodes.Name) else "", state.most

        def items(frame: Frame) -> Any:
            argument = get(frame)
            try:
                return iterated(state, argument, node.iterable)
            except Exception as error:
                state.failed(error, node.iterable, None, (argument,), (node.iterable,))
                raise

        def begin(frame: Frame, item: Any) -> None:
            give(frame, item)
            given = tuple([frame[each] for each in names])
            if site.late is NOTHING and not state.events:
                site.given, site.at = given, state.number
            else:
                facts.told(state, site, given, frame)

        def run(frame: Frame) -> int | None:
            state.site, told_later = site, False
            for item in items(frame):
                number = state.number
                if number >= most:
                    raise state.full(node.iterable.span)
                state.number = number + 1
                site.count += 1
                state.site = site
                if told_later and type(item) is not Traced:
                    frame[name] = item
                    site.given, site.at = (item,), number + 1
                else:
                    begin(frame, item)
                    told_later = name != "" and site.late is NOTHING
                ended = body(frame)
                if ended is not None and ended is not CONTINUE:
                    return None if ended is BREAK else ended
            return None

        return run

    def if_(self, node: nodes.If, site: Site) -> Step:
        """`if test: then`, `else: otherwise`."""
        state, test = self.state, answered(self.compiler, node.test)
        then = self.block(node.then, site.depth + 1)
        otherwise = self.block(node.otherwise, self._depth_of_else(node, site)) if node.otherwise else None
        truth = self.compiler.truth

        def run(frame: Frame) -> int | None:
            site.count += 1
            state.site = site
            tested = test(frame)
            holds = tested if tested is True or tested is False else truth(node.test, tested)
            if site.count == 1 or state.events:
                facts.told(state, site, (), frame)
            if holds:
                return then(frame)
            return None if otherwise is None else otherwise(frame)

        return run

    def _depth_of_else(self, node: nodes.If, site: Site) -> int:
        """An `elif` stands as deep as its `if`."""
        start = node.otherwise[0].span.start
        is_elif = self.state.text[start : start + 4] == "elif"
        return site.depth + (0 if is_elif else 1)

    def define(self, node: nodes.Define, site: Site) -> Step:
        """`def name(parameters): body`; the defaults are evaluated once, here."""
        state, compiler = self.state, self.compiler
        names, site.names = tuple(parameter.name for parameter in node.parameters), (node.name,)
        local = assigned(node.body) | frozenset(names)
        hidden = compiler.hidden.local(local) if isinstance(compiler.hidden, Scope) else local
        inside = Statements(state, Compiler(state, hidden, local))
        body = inside.block(node.body, site.depth + 1)
        gets = [compiler.compile(p.default) for p in node.parameters if p.default is not None]

        def run(frame: Frame) -> None:
            site.count += 1
            state.site = site
            defaults = tuple([settled(get(frame)) for get in gets])
            made = Defined(node.name, names, defaults, body)
            frame[node.name] = made
            facts.told(state, site, (made,), frame)

        return run

    def return_(self, node: nodes.Return, site: Site) -> Step:
        """`return value`."""
        state = self.state
        get = None if node.value is None else self.compiler.compile(node.value)

        def run(frame: Frame) -> int:
            site.count += 1
            state.site = site
            argument = None if get is None else get(frame)
            if state.events or site.count == 1:
                facts.told(state, site, (), frame)
            state.returned = argument
            return RETURN

        return run

    def try_(self, node: nodes.Try, site: Site) -> Step:
        """`try: body`, its handlers, `else: otherwise`, `finally: final`."""
        state, deeper = self.state, site.depth + 1
        body = self.block(node.body, deeper)
        handlers = [(errors_of(each), each.name, self.block(each.body, deeper)) for each in node.handlers]
        otherwise = self.block(node.otherwise, deeper) if node.otherwise else None
        final = self.block(node.final, deeper) if node.final else None

        def guarded(frame: Frame) -> int | None:
            called = state.called
            try:
                ended = body(frame)
            except AgxError:
                raise
            except Exception as error:
                state.called = called
                return handled(state, error, handlers, frame)
            return ended if ended is not None or otherwise is None else otherwise(frame)

        def run(frame: Frame) -> int | None:
            site.count += 1
            state.site = site
            if site.count == 1:
                facts.told(state, site, (), frame)
            if final is None:
                return guarded(frame)
            return finally_(state, guarded, final, frame)

        return run

    def assert_(self, node: nodes.Assert, site: Site) -> Step:
        """`assert test, message`."""
        state, test, truth = self.state, answered(self.compiler, node.test), self.compiler.truth
        message = None if node.message is None else self.compiler.compile(node.message)

        def run(frame: Frame) -> None:
            site.count += 1
            state.site = site
            argument = test(frame)
            if not truth(node.test, argument):
                said = () if message is None else (whole(message(frame)),)
                error = AssertionError(*said)
                state.failed(error, node.test, None, (argument,), (node.test,))
                raise error
            if state.events or site.count == 1:
                facts.told(state, site, (), frame)

        return run

    def jump(self, node: Statement, site: Site) -> Step:
        """`break` and `continue`."""
        state, ended = self.state, BREAK if isinstance(node, nodes.Break) else CONTINUE

        def run(frame: Frame) -> int:
            site.count += 1
            state.site = site
            if site.count == 1:
                facts.told(state, site, (), frame)
            return ended

        return run


HANDLERS: dict[type[Statement], Callable[[Statements, Any, Site], Step]] = {
    nodes.Evaluate: Statements.evaluate,
    nodes.Assign: Statements.assign,
    nodes.Augment: Statements.augment,
    nodes.Import: Statements.silent,
    nodes.Delete: delete,
    nodes.Pass: Statements.silent,
    nodes.With: Statements.with_,
    nodes.For: Statements.for_,
    nodes.If: Statements.if_,
    nodes.Define: Statements.define,
    nodes.Return: Statements.return_,
    nodes.Try: Statements.try_,
    nodes.Assert: Statements.assert_,
    nodes.Break: Statements.jump,
    nodes.Continue: Statements.jump,
}
