"""The static pass: every name, function, attribute and argument is looked up before a run.

It gives how each free name is used, from which a binding's role follows.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from autograd_cli.errors import InputError, LanguageError
from autograd_cli.lang import flow, nodes, scope, unknown
from autograd_cli.lang.bodies import expressions, first_read
from autograd_cli.lang.functions.rows import Role
from autograd_cli.lang.nodes import Name, Program
from autograd_cli.lang.parse import TextLimits, parse
from autograd_cli.lang.same import SHORT, Same, remembered
from autograd_cli.lang.scope import PRELUDE, Scope
from autograd_cli.lang.source import Source, named
from autograd_cli.lang.swift import swift
from autograd_cli.lang.unknown import Place


@swift
@dataclass(frozen=True)
class Usage:
    """How a program uses the names that are no functions or constants.

    `names` maps each to the roles in which it is used directly; `unbound` are those that
    nothing gives a value to, in order of appearance: an expression cannot be run then, a
    program ends where it comes to one. `scope` says what the other names mean.
    """

    names: dict[str, frozenset[Role]]
    unbound: tuple[str, ...]
    scope: Scope = PRELUDE


def check(program: Program, bound: Collection[str], callables: Collection[str] = ()) -> Usage:
    """The usage of a program whose every function, attribute and argument is in the language.

    `bound` are the names that have a value from outside; they hide functions and constants.
    `callables` are functions from outside. Raises LanguageError; a name that is not bound is
    no error here but in `Usage.unbound`, unless it is plain that it should be another.
    """
    if len(program.source.text) > SHORT:
        return _checked(program, bound, callables)
    return _kept(Same(program), tuple(bound), tuple(callables))


@remembered
def _kept(program: Same, bound: tuple[str, ...], callables: tuple[str, ...]) -> Usage:
    """The usage of a program that `parse` remembers, under names that it was checked under before."""
    return _checked(program.it, bound, callables)


def _checked(program: Program, bound: Collection[str], callables: Collection[str]) -> Usage:
    found = scope.of(program, bound, callables)
    if program.is_expression and isinstance(program.body, nodes.Text | nodes.Joined):
        raise _only_text(Place(program.source.text, found), program.body)
    try:
        names = flow.roles(program, found)
    except LanguageError as error:
        from autograd_cli.lang.others import others  # a source without a fault needs none

        error.also = tuple(others(program, found, error))
        raise
    known = found.bound
    return Usage(names, tuple(name for name in names if name not in known), found)


def _only_text(place: Place, node: nodes.Expr) -> LanguageError:
    return place.error(
        "AGX104",
        "The source is a string, and a string is nothing to trace.",
        node.span,
        "Write the expression without quotes of its own; the shell takes one pair away.",
        node.value.strip() if isinstance(node, nodes.Text) else "",
    )


@swift
@dataclass(frozen=True)
class Understood:
    """A program, how it uses its names, and the checked programs of its values, by the name they bind.

    A value without a program is read from a file, or its text is still to be checked.
    """

    program: Program
    usage: Usage
    values: Mapping[str, Program] = field(default_factory=dict)


def understood(
    source: Source, bound: Collection[str], limits: TextLimits, callables: Collection[str] = ()
) -> Understood:
    """The checked program of `source`; raises what parse and check raise. `callables` are as for check.

    AGX201 where an expression uses a name that is not bound.
    """
    program = parse(source, limits)
    usage = check(program, bound, callables)
    if usage.unbound and program.is_expression:
        raise unbound(program, usage.unbound)
    return Understood(program, usage)


def unbound(program: Program, missing: Sequence[str], fix: str = "") -> InputError:
    """AGX201: the refusal of names that are used and have no value; `fix` is the command to type."""
    return InputError(
        "AGX201",
        f"{named(missing)} {'is' if len(missing) == 1 else 'are'} used and not bound to a value.",
        text=program.source.text,
        span=first_read(program.statements, missing[0]),
        fix=fix,
    )


def too_early(program: Program, name: str, missing: str, earlier: Sequence[str]) -> InputError:
    """AGX202: the refusal of a value of `name` that uses a name bound later or never."""
    return InputError(
        "AGX202",
        f"The value of `{name}` uses `{missing}`, which has no value yet.",
        text=program.source.text,
        span=first_read(program.statements, missing),
        hint="Values are evaluated in the order written, and each sees the earlier ones: "
        f"{', '.join(earlier) or 'there is none'}.",
    )


def misspelt(program: Program, name: str, bound: Collection[str]) -> LanguageError | None:
    """The "did you mean" error for an unbound name of the program; None where nothing is near."""
    place = Place(program.source.text, scope.of(program, bound))
    for node in (part for each in expressions(program.statements) for part in nodes.walk(each)):
        if isinstance(node, Name) and node.id == name:
            return unknown.name(place, node)
    return None
