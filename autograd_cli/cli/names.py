"""The names of a program against the names on the line, before torch is imported.

A name that an expression uses and nothing binds is refused with the whole command to
type, while a program ends at that line when it is run, as in Python; a binding that is not
used is refused where it looks like a slip of the hand.
"""

from collections.abc import Collection, Sequence
from difflib import get_close_matches

from autograd_cli.cli import options, uses
from autograd_cli.cli.bindings import Line, is_word_of, place
from autograd_cli.cli.command import Given
from autograd_cli.errors import AgxError, InputError, Span
from autograd_cli.lang.bodies import assigned
from autograd_cli.lang.check import Understood, check, misspelt, too_early, unbound
from autograd_cli.lang.nodes import Program
from autograd_cli.lang.parse import TextLimits, parse, parse_expression
from autograd_cli.lang.source import Source

_SLIP = 0.75
"""How alike, from 0 to 1, an unused binding and an option are when one was meant for the other."""


def checked(source: Source, given: Given, by_hand: bool = True) -> Understood:
    """The programs of the source and of its values, whose names fit each other and the options.

    `by_hand` says that the bindings were typed, so that one may be a misspelt option.
    Raises LanguageError and LimitError for the texts; InputError AGX201 for names without a
    value in an expression, AGX205 for a binding that must have been meant otherwise, AGX208
    for a --wrt or --const that names no binding.
    """
    line = given.line
    names = [name for name, _ in line.bindings]
    limits = TextLimits(
        **{key: given.options[key] for key in ("max_text", "max_nodes") if key in given.options}
    )
    program = parse(source, limits)
    used_from_outside = uses.checked(program, given)
    usage = check(program, names, used_from_outside)
    used, values, faults = _values(line, limits)
    strays = [name for name in names if name not in usage.names and name not in used]
    for stray in strays:
        _refuse_slip(stray, usage.unbound, line, by_hand)
    if usage.unbound and program.is_expression:
        raise misspelt(program, usage.unbound[0], names) or unbound(
            program, usage.unbound, line.with_bindings(usage.unbound)
        )
    if faults:
        raise faults[0]
    for key in ("wrt", "const"):
        _refuse_strangers(key, given.options.get(key, ()), names)
    _check_root(program, given)
    _check_cotangent(names, given, limits)
    return Understood(program, usage, values)


def _values(line: Line, limits: TextLimits) -> tuple[set[str], dict[str, Program], list[AgxError]]:
    """The names that values use, their programs by the name they bind, and what is wrong with values."""
    used: set[str] = set()
    programs: dict[str, Program] = {}
    faults: list[AgxError] = []
    earlier: list[str] = []
    for name, text in line.bindings:
        if not text.startswith("@"):
            try:
                programs[name] = program = parse_expression(Source(text, f"--{name}"), limits)
                usage = check(program, earlier)
                used |= usage.names.keys()
                if usage.unbound:
                    faults.append(_in_value(name, text, too_early(program, name, usage.unbound[0], earlier)))
            except AgxError as error:
                faults.append(_in_value(name, text, error))
        earlier.append(name)
    return used, programs, faults


def _in_value(name: str, text: str, error: AgxError) -> AgxError:
    """`error` with the name in front of the value that it is about."""
    if error.code == "AGX106":
        return InputError("AGX202", f"The value of `{name}` is empty.", hint=f"Write a value: --{name} 2")
    if error.text == text and error.span is not None:
        before = f"--{name} "
        error.text = before + text
        error.span = Span(error.span.start + len(before), error.span.end + len(before))
    return error


def _refuse_slip(stray: str, unbound: Collection[str], line: Line, by_hand: bool) -> None:
    """AGX205 when an unused binding is close to an unbound name or to an option."""
    lower = {name.lower(): name for name in unbound}
    name = get_close_matches(stray.lower(), lower, 1)
    if name:
        raise _slip(stray, f"--{lower[name[0]]}", line)
    if by_hand:
        refuse_misspelt_option(stray, line)


def refuse_misspelt_option(name: str, line: Line) -> None:
    """AGX205 for a binding whose name is close to an option's, nothing for any other."""
    known = {o.key: o.name for o in options.of(line.command)}
    option = get_close_matches(name, known, 1, _SLIP) if len(name) > 2 else []
    if option:
        raise _slip(name, known[option[0]], line)


def _slip(stray: str, meant: str, line: Line) -> InputError:
    """The refusal of an unused binding that must have been meant otherwise."""
    words = [
        meant + word.removeprefix(f"--{stray}") if is_word_of(word, stray) else word for word in line.words
    ]
    at = next((i for i, word in enumerate(line.words) if is_word_of(word, stray)), 0)
    text, span = place(line, at)
    found = "" if "lines" in line.given else f", and the source has no name `{stray}`"
    return InputError(
        "AGX205",
        f"`--{stray}` is no option{found}.",
        text=text,
        span=span,
        hint=f"Did you mean `{meant}`?",
        fix=Line(line.command, tuple(words)).typed,
    )


def _refuse_strangers(key: str, chosen: Sequence[str], names: Sequence[str]) -> None:
    strangers = [name for name in chosen if name not in names]
    if strangers:
        raise InputError(
            "AGX208",
            f"`--{key} {','.join(chosen)}` names `{strangers[0]}`, which is no binding.",
            hint=f"The bindings are: {', '.join(names) or 'none'}.",
        )


def _check_root(program: Program, given: Given) -> None:
    """AGX208 for a --root that is no name of the source."""
    root = given.options.get("root")
    if root is None:
        return
    if program.is_expression:
        raise InputError(
            "AGX208",
            f"`--root {root}` names no value: an expression has just one.",
            hint="Leave --root out: the graph of that value is shown.",
        )
    known = sorted({*assigned(program.statements), *(name for name, _ in given.line.bindings)})
    if root not in known:
        near = get_close_matches(root, known, 1)
        hint = f"Did you mean `{near[0]}`?" if near else f"The names are: {', '.join(known) or 'none'}."
        raise InputError("AGX208", f"`--root {root}` is no name of the program.", hint=hint)


def _check_cotangent(names: Sequence[str], given: Given, limits: TextLimits) -> None:
    """What is wrong with the text of --grad-output, before anything heavy is loaded."""
    text = given.options.get("grad_output", "@")
    if text.startswith("@"):
        return
    try:
        program = parse_expression(Source(text, "--grad-output"), limits)
        usage = check(program, names)
        if usage.unbound:
            raise too_early(program, "grad-output", usage.unbound[0], names)
    except AgxError as error:
        raise _in_value("grad-output", text, error) from None
