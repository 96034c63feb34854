"""The look at the statements of a program: imports, functions, modes, and what each assigns.

Expressions are the checker's. A function is looked at before those that call it, so that
the roles of its parameters are those of what it is called with.
"""

from collections.abc import Iterable, Iterator, Mapping

from autograd_cli.errors import LanguageError, Span
from autograd_cli.lang import held, lookup, suggestions
from autograd_cli.lang.bodies import assigned, blocks, expressions, own, statements
from autograd_cli.lang.calls import placed
from autograd_cli.lang.checker import Checker, Parameters
from autograd_cli.lang.functions.rows import Kind, Role
from autograd_cli.lang.nodes import (
    Assert,
    Assign,
    Attribute,
    Augment,
    Block,
    Call,
    Define,
    Delete,
    Evaluate,
    Expr,
    For,
    If,
    Import,
    Imported,
    Name,
    Program,
    Sequence,
    Statement,
    With,
    walk,
)
from autograd_cli.lang.refusals import AS_IT_IS
from autograd_cli.lang.scope import STARRED, Scope, is_known
from autograd_cli.lang.source import named
from autograd_cli.lang.unknown import Place

BROUGHT = "`--use NAME=file.py:function` brings a function of your own."


def roles(program: Program, scope: Scope) -> dict[str, frozenset[Role]]:
    """How a program uses the names that are no functions or constants.

    Raises LanguageError where something in it is not in the language.
    """
    place = Place(program.source.text, scope)
    check_imports(program, place)
    functions: dict[str, Parameters] = {}
    whole = Checker(place, functions, held.of(program, scope))
    for define in _callees_first(program, place, whole.names.functions):
        functions[define.name] = _parameters(define, whole)
    _module(whole, program.statements)
    return {name: frozenset(found) or _PLAIN for name, found in whole.roles.items()}


_PLAIN = frozenset({Role.TENSOR})


def unused(program: Program) -> tuple[Imported, ...]:
    """The imports of what is not in the language; none of them is used in a program that passes."""
    foreign = (each for each in _imported(program) if each.name != "*" and not is_known(each.path))
    return tuple(each for each in foreign if not each.path.startswith("__future__."))


# Statements


def _module(checker: Checker, block: Block) -> None:
    """Look at the statements outside of functions, and note which names have a value by then."""
    bound = checker.place.bound
    checker.certain, checker.possible = set(bound.given), set(bound.given)
    takes_away = "del" in checker.place.text
    for statement in block:
        names = assigned((statement,))
        is_simple = not blocks(statement) or isinstance(statement, Define)
        if not is_simple:
            checker.possible |= names
        _block(checker, (statement,))
        checker.possible |= names
        if is_simple:
            checker.certain |= names
        if takes_away:
            checker.certain -= _taken_away(checker.place, statement)


def _taken_away(place: Place, statement: Statement) -> set[str]:
    """The names that `del` takes away somewhere in a statement; refused where another meaning comes back."""
    found: set[str] = set()
    for each in statements((statement,)):
        for name in each.names if isinstance(each, Delete) else ():
            meant = place.bound.without(name.id)
            imported = name.id in (place.bound.imported or ())
            if imported or lookup.function(name, meant) or lookup.constant(name, meant):
                raise place.error(
                    "AGX104",
                    f"`del {name.id}` changes what the language means by `{name.id}`.",
                    name.span,
                    "Leave it out, or give the value another name.",
                )
            found.add(name.id)
    return found


def _block(checker: Checker, block: Block) -> None:
    """Look at the statements of a block and of the blocks in it, functions' bodies aside."""
    waiting: list[Statement] = list(reversed(block))
    while waiting:
        statement = waiting.pop()
        check_statement(checker, statement)
        if not isinstance(statement, Define):
            waiting += reversed([each for inner in blocks(statement) for each in inner])


def check_statement(checker: Checker, statement: Statement) -> None:
    """Look at what stands in a statement itself."""
    match statement:
        case Assign(targets, value):
            checker.value(value)
            _targets(checker, targets)
        case For(target, iterable, _):
            checker.value(iterable)
            _targets(checker, (target,))
        case Augment(target, _, value):
            checker.root(value)
            checker.root(target)
        case With(modes, _):
            for mode in modes:
                _mode(checker, mode)
        case _:
            for part in own(statement):
                _part(checker, statement, part)


def _part(checker: Checker, statement: Statement, part: Expr) -> None:
    """Look at an expression of a statement: a test, one that stands alone, or a value that is given on."""
    match statement:
        case If() | Assert():
            checker.root(part, None)
        case Evaluate():
            checker.root(part)
        case _:
            checker.value(part)


def _targets(checker: Checker, targets: Iterable[Expr]) -> None:
    """Look at what is read where a value is given: `z` and `i` of `z[i] = 1`."""
    waiting = list(targets)
    while waiting:
        target = waiting.pop()
        if isinstance(target, Sequence):
            waiting += target.items
        elif isinstance(target, Attribute):
            checker.root(target.value)
        elif not isinstance(target, Name):
            checker.root(target)


def _mode(checker: Checker, mode: Expr) -> None:
    """Look at what stands after `with`."""
    place = checker.place
    function = lookup.function(mode.function, place.bound) if isinstance(mode, Call) else None
    if not isinstance(mode, Call) or function is None or function.kind is not Kind.MODE:
        from autograd_cli.lang.elsewhere import missing

        why = missing(lookup.path(mode.function, place.bound)) if isinstance(mode, Call) else None
        if why is not None:
            raise place.error("AGX104", f"`{place.of(mode)}` {why.does}", mode.span, why.hint)
        plain = lookup.function(mode, place.bound)
        lost = plain is not None and plain.kind is Kind.MODE
        raise place.error(
            "AGX104",
            f"`with {place.of(mode)}` is no mode of torch, and the language has `with` for these alone.",
            mode.span,
            f"Write `with {place.of(mode)}():`."
            if lost
            else "Write `with torch.no_grad():`, or enable_grad, inference_mode, set_grad_enabled, autocast.",
        )
    for part, role in placed(place.text, mode, function, is_method=False, is_loose=False):
        checker.root(part, role)


# Functions


def inside(define: Define, whole: Checker) -> Checker:
    """What looks at the body of a function."""
    names = assigned(define.body) | {parameter.name for parameter in define.parameters}
    place = Place(whole.place.text, whole.place.bound.local(names))
    inner = Checker(place, whole.functions, whole.names)
    inner.certain = {*names, *whole.place.bound.given}
    return inner


def _parameters(define: Define, whole: Checker) -> Parameters:
    """The roles of a function's parameters; what else it reads is noted as the program's."""
    parameters = [parameter.name for parameter in define.parameters]
    names = assigned(define.body) | frozenset(parameters)
    inner = inside(define, whole)
    _block(inner, define.body)
    for name, found in inner.roles.items():
        if name not in names:
            whole.roles.setdefault(name, set()).update(found)
    return {name: frozenset(inner.roles.get(name, ())) for name in parameters}


def _callees_first(program: Program, place: Place, values: held.Held) -> Iterator[Define]:
    """The functions of a program, each after those that it calls; LanguageError where one calls itself.

    Those that names hold come first: what calls them may not name them.
    """
    defines: dict[str, list[Define]] = {}
    for each in statements(program.statements):
        if isinstance(each, Define):
            defines.setdefault(each.name, []).append(each)
    calls = {name: _calls(found, place.bound) for name, found in defines.items()}
    done: set[str] = set()
    carried = {path for paths in values.values() for path in paths}
    for first in sorted(defines, key=lambda name: name not in carried):
        stack = [] if first in done else [first]
        while stack:
            name = stack[-1]
            due = [callee for callee in calls[name] if callee not in done]
            if name in due or any(callee in stack for callee in due):
                raise _recursion(place, stack, next(c for c in due if c in stack), calls)
            if due:
                stack.append(due[0])
                continue
            stack.pop()
            done.add(name)
            yield from defines[name]


def _calls(defines: Iterable[Define], scope: Scope) -> dict[str, Span]:
    """The functions of the program that these call, each with the place of the first call."""
    found: dict[str, Span] = {}
    for define in defines:
        names = assigned(define.body) | {parameter.name for parameter in define.parameters}
        for part in (part for each in expressions(define.body) for part in walk(each)):
            callee = part.function if isinstance(part, Call) else None
            if isinstance(callee, Name) and callee.id in scope.defined and callee.id not in names:
                found.setdefault(callee.id, callee.span)
    return found


def _recursion(
    place: Place, stack: list[str], callee: str, calls: Mapping[str, Mapping[str, Span]]
) -> LanguageError:
    circle = stack[stack.index(callee) :]
    sentence = f"`{callee}` calls itself" if len(circle) == 1 else f"{named(circle)} call each other"
    return place.error(
        "AGX104",
        f"{sentence}, and calls are recorded as if written out.",
        calls[circle[-1]][callee],
        f"Write a loop, `for i in range(n):`; or {BROUGHT}",
    )


# Imports


def _imported(program: Program) -> Iterator[Imported]:
    for statement in program.statements:
        if isinstance(statement, Import):
            yield from statement.names


def check_imports(program: Program, place: Place) -> None:
    """Refuse an import that gives what is not in the language, where that is used."""
    error = next(import_faults(program, place), None)
    if error is not None:
        raise error


def import_faults(program: Program, place: Place) -> Iterator[LanguageError]:
    """What is wrong with the imports, and with the use of what they give."""
    scope = place.bound
    if scope.imported is None:
        return
    begins: dict[str, Span] = {}
    for each in _imported(program):
        begins.setdefault(each.name, each.span)
        if each.name == "*" and each.path.removesuffix(".*") not in STARRED:
            yield _star(place, each)
    for block, hidden, is_inner in _parts(program, scope):
        for name in _names(block):
            path = None if name.id in hidden else scope.imported.get(name.id)
            if path is not None and not is_known(path):
                yield _foreign(place, name, path)
            if path is not None and not is_inner and name.span.start < begins[name.id].start:
                yield _too_early(place, name)


def _parts(program: Program, scope: Scope) -> Iterator[tuple[list[Expr], Scope, bool]]:
    """The expressions of each function and of the rest, with what is hidden there."""
    rest: list[Expr] = []
    waiting = list(program.statements)
    while waiting:
        statement = waiting.pop()
        rest += own(statement)
        if isinstance(statement, Define):
            names = assigned(statement.body) | {parameter.name for parameter in statement.parameters}
            yield list(expressions(statement.body)), scope.local(names), True
        else:
            waiting += [each for inner in blocks(statement) for each in inner]
    yield rest, scope, False


def _names(block: Iterable[Expr]) -> list[Name]:
    """The names in expressions, by their places."""
    found = [part for each in block for part in walk(each) if isinstance(part, Name)]
    return sorted(found, key=lambda name: name.span)


def _star(place: Place, each: Imported) -> LanguageError:
    return place.error(
        "AGX104",
        f"What `{each.path.removesuffix('.*')}` gives by `*` is not known to the language.",
        each.span,
        "Write the names that are meant: `from torch.nn.functional import relu`.",
    )


def _foreign(place: Place, name: Name, path: str) -> LanguageError:
    """The refusal of a name that an import takes from elsewhere."""
    module, _, last = path.rpartition(".")
    found = suggestions.for_function(last) if is_known(module) else None
    what = f"`{name.id}` is {path}, which" if path != name.id else f"The module `{path}`"
    from autograd_cli.lang.elsewhere import missing  # a source without a fault needs none

    why = missing(path)
    if why is not None:
        what = f"`{name.id}`" if path != name.id else what
        return place.error("AGX104", f"{what} {why.does}", name.span, why.hint)
    return place.error(
        "AGX104",
        f"{what} is not in the language.",
        name.span,
        f"Write `{place.bound.spelled(found)}(…)`; or {BROUGHT}"
        if found
        else AS_IT_IS
        if path.startswith("torch.")
        else f"The language has torch, math and numpy; {BROUGHT}",
    )


def _too_early(place: Place, name: Name) -> LanguageError:
    return place.error(
        "AGX102",
        f"`{name.id}` is used above its import.",
        name.span,
        "Write the import at the top.",
    )
