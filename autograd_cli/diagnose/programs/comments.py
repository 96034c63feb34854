"""What comments say would be printed, compared with what was.

A comment counts where it stands behind a print and begins with a value. Numbers are
compared to the digits that the comment has; white space, brackets and what torch adds to a
tensor (`grad_fn=…`, `dtype=…`) do not count, and `...` stands for any.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autograd_cli.diagnose.programs.accumulation import summed
from autograd_cli.diagnose.programs.chance import is_repeatable
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.statements import called
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Evaluate
from autograd_cli.report import Finding
from autograd_cli.run.traced import Ran, Site

_ARROW = re.compile(r"^(?:[-=]+>|→|>>>|»|(?:output|prints?|gives?|result|out)\s*:?)\s*", re.IGNORECASE)
_ABOUT = re.compile(r"^(?:[~≈]|about\s|approx\.?\s)\s*", re.IGNORECASE)
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_WORD = r"True|False|None|nan|inf|-inf"
_INSIDE = r"(?:[^()]|\([^()]*\))*"
_BLOCK = rf"(?:tensor|torch\.Size|array)\({_INSIDE}\)|\[[^\n]*\]|\({_INSIDE},{_INSIDE}\)"
_DTYPE = r"torch\.(?:float|int|bfloat|bool|complex|uint)\w*"
_VALUE = re.compile(rf"(?P<block>{_BLOCK})|(?P<word>{_DTYPE}|(?:{_WORD})\b)|(?P<number>{_NUMBER})(?![\w.])")
_AFTER_NUMBER = re.compile(
    r"\s*(?:$|[(=;!←#?|]|<-|--|—|–|,?\s*(?:not|wrong|since|because|due|instead|accumul)\w*\b)", re.IGNORECASE
)
"""What may follow a number, or None, that is a claim: "3 epochs" and "2. Compute" are prose."""
_EXTRAS = re.compile(
    r",?\s*(?:grad_fn=<[^>]*>|grad_fn=\S+?(?=[,)])|requires_grad=True|dtype=torch\.\w+"
    r"|device='[^']*'|size=\([^)]*\))"
)
_TOKEN = re.compile(rf"\.\.\.|…|{_NUMBER}|{_DTYPE}|\b(?:{_WORD})\b")
_LONGEST = 60


@dataclass(frozen=True)
class Claim:
    """A comment that says what its print prints: the value as written, and its place."""

    line: int
    text: str
    printed: str
    span: Span
    statement: Evaluate


def claims(ran: Ran) -> dict[int, str]:
    """By line, what a comment said would be printed where something else was."""
    return {claim.line: claim.text for claim in false_claims(Whole(ran))}


def differs(whole: Whole) -> Iterator[Finding]:
    """AGX320 for each comment that says something else than was printed beside it."""
    for claim in false_claims(whole):
        yield whole.finding(
            "AGX320",
            f"The comment says {claim.text}, and what is printed is {claim.printed}.",
            span=claim.span,
            cause=tuple(_sums(whole, claim)),
            claimed=claim.text,
            printed=claim.printed,
        )


def _sums(whole: Whole, claim: Claim) -> Iterator[str]:
    """What a .grad that is printed there is the sum of, where no other finding tells it."""
    told = {each.leaf for each in whole.ran.accumulated}
    for node in nodes.walk(claim.statement.value):
        if isinstance(node, nodes.Attribute) and node.name == "grad":
            leaf = whole.source[node.value.span]
            said = "" if leaf in told else summed(whole, leaf, claim.statement.span.start)
            if said:
                yield f"{said}."


def false_claims(whole: Whole) -> Iterator[Claim]:
    """The comments behind a print that begin with a value which was not printed."""
    by_line = {comment.line: comment for comment in whole.program.comments}
    for site in whole.ran.sites if by_line else ():
        statement = site.statement
        if not isinstance(statement, Evaluate) or called(statement.value) != "print":
            continue
        if site.count != 1 or site.first is None:
            continue
        comment = by_line.get(_last_line(whole, site))
        if comment is None:
            continue
        claim, printed = claimed(comment.text), "".join(site.first.printed).strip()
        if claim is None or not printed or not is_repeatable(whole, statement, claim[0]):
            continue
        if not agrees(*claim, printed):
            line = whole.line(statement.span)
            yield Claim(line, _short(claim[0]), _short(printed), comment.span, statement)


def _last_line(whole: Whole, site: Site) -> int:
    return whole.source.line_of(max(site.statement.span.end - 1, 0))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"


def claimed(comment: str) -> tuple[str, bool] | None:
    """The value that a comment begins with, and whether it is said to be rough; None for prose."""
    text = _ARROW.sub("", comment.strip())
    rough = _ABOUT.match(text)
    text = _ABOUT.sub("", text)
    found = _VALUE.match(text)
    if found is None:
        return None
    bare = found["number"] or found["word"] == "None"
    if bare and not _AFTER_NUMBER.match(text[found.end() :]):
        return None
    return found.group(), rough is not None


# Comparing


def agrees(claim: str, rough: bool, printed: str) -> bool:
    """Whether what was printed holds the claimed value; True where that cannot be said."""
    wanted = _tokens(claim)
    candidates = [_tokens(found.group()) for found in _VALUE.finditer(printed)]
    candidates += [_tokens(printed)]
    if not wanted or not any(candidates):
        return True
    return any(_same(wanted, tokens, rough) for tokens in candidates)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(_EXTRAS.sub("", text))


def _same(claimed: Sequence[str], printed: Sequence[str], rough: bool) -> bool:
    dots = next((i for i, token in enumerate(claimed) if token in ("...", "…")), None)
    if dots is not None:
        head, tail = claimed[:dots], claimed[dots + 1 :]
        fits = len(head) + len(tail) <= len(printed)
        end = printed[len(printed) - len(tail) :]
        return fits and _same(head, printed[:dots], rough) and _same(tail, end, rough)
    if "..." in printed:
        return True
    return len(claimed) == len(printed) and all(
        _equal(a, b, rough) for a, b in zip(claimed, printed, strict=True)
    )


def _equal(claimed: str, printed: str, rough: bool) -> bool:
    if claimed == printed:
        return True
    try:
        one, other = float(claimed), float(printed)
    except ValueError:
        return False
    if one == other:
        return True
    is_whole = re.fullmatch(r"[-+]?\d+", claimed) is not None
    if is_whole and not rough:
        return False
    return abs(one - other) <= 0.5000001 * max(_unit(claimed), 0 if rough else _unit(printed)) * (
        2 if rough else 1
    )


def _unit(number: str) -> float:
    """The weight of the last digit that a number is written with."""
    mantissa, _, exponent = number.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(10.0 ** (int(exponent or 0) - decimals))
