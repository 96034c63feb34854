"""The names of a program against the names on the line, before torch is imported.

A name used and not bound is refused with the whole command to type; a binding that is
not used is refused where it looks like a slip of the hand.
"""

from collections.abc import Collection, Sequence
from difflib import get_close_matches

from autograd_cli.cli import options
from autograd_cli.cli.bindings import Line, place
from autograd_cli.cli.command import Given
from autograd_cli.errors import AgxError, InputError, Span
from autograd_cli.lang.check import Understood, check, misspelt, too_early, unbound
from autograd_cli.lang.nodes import Program
from autograd_cli.lang.parse import TextLimits, parse
from autograd_cli.lang.source import Source

_SLIP = 0.75
"""How alike, from 0 to 1, an unused binding and an option are when one was meant for the other."""


def checked(source: Source, given: Given) -> Understood:
    """The programs of the source and of its values, whose names fit each other and the options.

    Raises LanguageError and LimitError for the texts; InputError AGX201 for names
    without a value, AGX205 for a binding that must have been meant otherwise, AGX208
    for a --wrt or --const that names no binding.
    """
    line = given.line
    names = [name for name, _ in line.bindings]
    limits = TextLimits(
        **{key: given.options[key] for key in ("max_text", "max_nodes") if key in given.options}
    )
    program = parse(source, limits)
    usage = check(program, names)
    used, values, faults = _values(line, limits)
    strays = [name for name in names if name not in usage.names and name not in used]
    for stray in strays:
        _refuse_slip(stray, usage.unbound, line)
    if usage.unbound:
        raise misspelt(program, usage.unbound[0], names) or unbound(
            program, usage.unbound, line.with_bindings(usage.unbound)
        )
    if faults:
        raise faults[0]
    for key in ("wrt", "const"):
        _refuse_strangers(key, given.options.get(key, ()), names)
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
                programs[name] = program = parse(Source(text, f"--{name}"), limits)
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


def _refuse_slip(stray: str, unbound: Collection[str], line: Line) -> None:
    """AGX205 when an unused binding is close to an unbound name or to an option."""
    lower = {name.lower(): name for name in unbound}
    known = {o.key: o.name for o in options.of(line.command)}
    name = get_close_matches(stray.lower(), lower, 1)
    option = get_close_matches(stray, known, 1, _SLIP) if len(stray) > 2 else []
    if not name and not option:
        return
    meant = f"--{lower[name[0]]}" if name else known[option[0]]
    words = [meant + word.removeprefix(f"--{stray}") if _is(word, stray) else word for word in line.words]
    at = next((i for i, word in enumerate(line.words) if _is(word, stray)), 0)
    text, span = place(line, at)
    raise InputError(
        "AGX205",
        f"`--{stray}` is no option, and the source has no name `{stray}`.",
        text=text,
        span=span,
        hint=f"Did you mean `{meant}`?",
        fix=Line(line.command, tuple(words)).typed,
    )


def _is(word: str, name: str) -> bool:
    return word == f"--{name}" or word.startswith(f"--{name}=")


def _refuse_strangers(key: str, chosen: Sequence[str], names: Sequence[str]) -> None:
    strangers = [name for name in chosen if name not in names]
    if strangers:
        raise InputError(
            "AGX208",
            f"`--{key} {','.join(chosen)}` names `{strangers[0]}`, which is no binding.",
            hint=f"The bindings are: {', '.join(names) or 'none'}.",
        )
