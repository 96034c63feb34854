"""All that is refused of a program, once one statement of it is."""

from collections.abc import Iterator

from autograd_cli.errors import LanguageError
from autograd_cli.lang import flow, held, lookup
from autograd_cli.lang.bodies import blocks, own, statements
from autograd_cli.lang.checker import Checker
from autograd_cli.lang.nodes import Assign, Block, Call, Define, Name, Program, Statement, walk
from autograd_cli.lang.scope import Scope, is_known
from autograd_cli.lang.unknown import Place


def others(program: Program, scope: Scope, first: LanguageError) -> list[LanguageError]:
    """The refusals beside `first`, by their places: one a statement, and one a name that is imported."""
    place = Place(program.source.text, scope)
    errors = [*flow.import_faults(program, place), *_of_statements(program, place)]
    found: dict[str, LanguageError] = {}
    for error in sorted(errors, key=lambda error: error.span or (0, 0)):
        if error.sentence != first.sentence:
            found.setdefault(error.sentence, error)
    return list(found.values())


def _of_statements(program: Program, place: Place) -> Iterator[LanguageError]:
    """What each statement is refused for, those of functions among them."""
    whole = Checker(place, {}, held.of(program, place.bound))
    modules = _modules(program, place)
    yield from _refused(whole, program.statements, modules)
    for define in statements(program.statements):
        if isinstance(define, Define):
            yield from _refused(flow.inside(define, whole), define.body, modules)


def _modules(program: Program, place: Place) -> set[str]:
    """The names that are given modules of torch.nn, which are refused where they are made."""
    found: set[str] = set()
    for statement in statements(program.statements):
        if isinstance(statement, Assign) and any(
            _makes_module(each, place) for each in walk(statement.value)
        ):
            found |= {target.id for target in statement.targets if isinstance(target, Name)}
    return found


def _makes_module(node: object, place: Place) -> bool:
    path = lookup.path(node.function, place.bound) if isinstance(node, Call) else None
    return path is not None and path.startswith("torch.nn.") and path.rpartition(".")[2][:1].isupper()


def _is_foreign(checker: Checker, statement: Statement, modules: set[str]) -> bool:
    """Whether a statement uses what is refused already: as an import, or where a module is made."""
    imported = checker.place.bound.imported or {}
    names = {part.id for each in own(statement) for part in walk(each) if isinstance(part, Name)}
    if isinstance(statement, Assign):
        names -= {target.id for target in statement.targets if isinstance(target, Name)}
    return not names.isdisjoint(modules) or any(
        name in imported and not is_known(imported[name]) for name in names
    )


def _refused(checker: Checker, block: Block, modules: set[str]) -> Iterator[LanguageError]:
    """What the statements of a block are refused for, functions in it aside."""
    waiting = list(block)
    while waiting:
        statement = waiting.pop()
        if _is_foreign(checker, statement, modules):
            continue
        try:
            flow.check_statement(checker, statement)
        except LanguageError as error:
            yield error
        if not isinstance(statement, Define):
            waiting += [each for inner in blocks(statement) for each in inner]
