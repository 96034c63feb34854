"""All that is refused of a program, once one statement of it is."""

from collections.abc import Iterator

from autograd_cli.errors import LanguageError
from autograd_cli.lang import flow, held
from autograd_cli.lang.bodies import blocks, own, statements
from autograd_cli.lang.checker import Checker
from autograd_cli.lang.nodes import Block, Define, Name, Program, Statement, walk
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
    yield from _refused(whole, program.statements)
    for define in statements(program.statements):
        if isinstance(define, Define):
            yield from _refused(flow.inside(define, whole), define.body)


def _is_foreign(checker: Checker, statement: Statement) -> bool:
    """Whether a statement uses what is refused as an import already."""
    imported = checker.place.bound.imported or {}
    names = (part.id for each in own(statement) for part in walk(each) if isinstance(part, Name))
    return any(name in imported and not is_known(imported[name]) for name in names)


def _refused(checker: Checker, block: Block) -> Iterator[LanguageError]:
    """What the statements of a block are refused for, functions in it aside."""
    waiting = list(block)
    while waiting:
        statement = waiting.pop()
        if _is_foreign(checker, statement):
            continue
        try:
            flow.check_statement(checker, statement)
        except LanguageError as error:
            yield error
        if not isinstance(statement, Define):
            waiting += [each for inner in blocks(statement) for each in inner]
