"""`agx explain`: the page of a finding, or the list of them."""

import re
import shlex
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from autograd_cli.cli.command import Command, Given, Words
from autograd_cli.cli.environment import Environment
from autograd_cli.errors import ExitStatus, InputError
from autograd_cli.lang.source import named

if TYPE_CHECKING:
    from autograd_cli.catalogue import Page, Subject

EXAMPLES = """\
agx explain AGX301
agx explain AGX409 --run
agx explain broadcast
agx explain verdicts
agx explain "can only be created for scalar outputs"
agx explain"""

_PROGRAM = re.compile(r"^```(python.*|\w+ \S+\.\w+)$", re.MULTILINE)
"""The fence that opens a program of a page, or a file that lies beside its commands."""

_MOST = 8
"""So many pages are listed of those that speak of a word; the list of all has every one."""

WORDS = Words(
    "CODE|WORD", "A code such as AGX301, or words of a name, a title, a report or a message of torch", True
)


def explain(given: Given) -> ExitStatus:
    """Print the page for a finding, for a word of a report, or the list of all pages.

    A page says what torch says, what that means, why, and how to fix it. Words that
    several pages speak of give the list of those, the likeliest first; --full lists all.
    With --run the programs of a page are run: the one that shows the mistake, the repaired
    one, one that looks alike.
    """
    from autograd_cli.catalogue import pages, subjects

    wanted = " ".join(given.line.sources)
    if not wanted and given.options.get("run"):
        return _demonstrated(given, wanted, [])
    if not wanted:
        about = "".join(f"agx explain {one.name:8}  {one.title}\n" for one in subjects())
        given.environment.put(_listed(pages()) + about)
        return ExitStatus.OK
    subject = _subject(wanted)
    if given.options.get("run"):
        return _demonstrated(given, wanted, [] if subject else _pages(wanted))
    if subject is not None:
        _print(given.environment, subject.text)
        return ExitStatus.OK
    found = _pages(wanted)
    if len(found) == 1:
        _print(given.environment, found[0].text)
    else:
        given.environment.put(_likeliest(found, wanted, bool(given.options.get("full"))))
    return ExitStatus.OK


def _demonstrated(given: Given, wanted: str, found: Sequence["Page"]) -> ExitStatus:
    """Run the examples of the one page that was found; InputError AGX208 where it is not one."""
    if len(found) == 1:
        from autograd_cli.cli.demonstrate import demonstrated

        return demonstrated(found[0], given.environment)
    codes = [page.code for page in found] or ["AGX409"]
    raise InputError(
        "AGX208",
        f"`--run` runs the programs of one page, and {_many(wanted, found)}.",
        hint=f"Give one code, such as {named([page.code for page in found[:5]])}."
        if found
        else "Give a code.",
        fix=f"agx explain {codes[0]} --run",
    )


def _many(wanted: str, found: Sequence["Page"]) -> str:
    """What stands for more pages than one, or for none with a program."""
    if not wanted:
        return "no page is named"
    return f"{len(found)} speak of `{wanted}`" if found else f"the page on `{wanted}` has none"


def _subject(wanted: str) -> "Subject | None":
    """The page on a word of the reports; a name as a finding has it is that finding's."""
    from autograd_cli.catalogue import pages, subjects

    if any(wanted in one.names for one in pages()):
        return None
    word = " ".join(wanted.lower().replace("_", " ").split())
    return next((one for one in subjects() if word in one.words), None)


def _pages(wanted: str) -> Sequence["Page"]:
    """The one page with that code or name, else all that speak of it; refused where none does."""
    from autograd_cli.catalogue import find, pages, spoken

    exact = [p for p in pages() if wanted.upper() == p.code or wanted.lower() in p.names]
    found = exact[:1] or find(wanted)
    if found:
        return found
    raise _no_page(wanted, [*(name for p in pages() for name in p.names), *spoken()])


def _no_page(wanted: str, names: Sequence[str]) -> InputError:
    """AGX216, with the names of pages that look alike; of two codes that look alike neither is meant."""
    is_code = re.fullmatch(r"(agx)?\d+", wanted, re.IGNORECASE) is not None
    near = [] if is_code else get_close_matches(wanted.lower(), names, 3)
    return InputError(
        "AGX216",
        f"There is no page `{wanted}`." if is_code else f"No page speaks of `{wanted}`.",
        hint=f"Near it: {named(near)}." if near else "`agx explain` lists all pages.",
        fix=f"agx explain {near[0]}" if near else "agx explain",
    )


def _likeliest(pages: Sequence["Page"], wanted: str, whole: bool) -> str:
    """The list of pages, of many the first alone and how the others are seen."""
    if whole or len(pages) <= _MOST + 1:
        return _listed(pages)
    rest = f"and {len(pages) - _MOST} more:  agx explain {shlex.join([wanted])} --full"
    return f"{_listed(pages[:_MOST])}{rest}\n"


def _listed(pages: Sequence["Page"]) -> str:
    """One line a page: code, severity, name, title."""
    wide = max(len(page.name) for page in pages)
    lines = (f"{p.code}  {p.severity.value:7}  {p.name:{wide}}  {p.title}" for p in pages)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _print(environment: Environment, text: str) -> None:
    """The page as it is in a pipe; laid out as Markdown where a person reads it."""
    if not environment.on_terminal:
        environment.put(text.rstrip("\n") + "\n")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(
        file=environment.stdout,
        width=min(environment.width, 100),
        no_color=not environment.coloured(environment.stdout),
    )
    console.print(Markdown(_captioned(text)))


def _captioned(text: str) -> str:
    """The Markdown of a page with its facts on lines of their own, and what each program is for above it."""
    from autograd_cli.catalogue import Kind
    from autograd_cli.cli.live import PROGRAM, run_by

    head, heading, rest = text.partition("\n## ")
    kinds = {kind.value: f"{PROGRAM}, for `{run_by(kind)}`" for kind in Kind if kind is not Kind.CONSOLE}

    def caption(fence: re.Match[str]) -> str:
        return f"{kinds.get(fence[1], fence[1].split()[-1])}:\n\n{fence[0]}"

    return head.replace("\n", "  \n") + heading + _PROGRAM.sub(caption, rest)


COMMAND = Command("explain", explain, EXAMPLES, WORDS)
