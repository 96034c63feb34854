"""The statements of a program as plain data, with what they did."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from autograd_cli.lang.flow import unused
from autograd_cli.lang.nodes import (
    Define,
    For,
    If,
    Import,
    Imported,
    Program,
    Statement as Written,
    Try,
    With,
)
from autograd_cli.lang.source import named
from autograd_cli.report import Finding, Round, Statement
from autograd_cli.run.traced import Did, Ran, Site

_BLOCKS = {For: "body", With: "body", Define: "body", Try: "body", If: "then"}


def records(ran: Ran) -> tuple[Statement, ...]:
    """Every statement in the order of the source, as far as the run has come."""
    stepped_over = unused(ran.program)
    return tuple(
        replace(_record(ran.program, site, site.statement is ran.failed), remark=_remark(site, stepped_over))
        for site in list(ran.sites)
    )


def with_remarks(
    statements: Sequence[Statement], claims: Mapping[int, str], findings: Sequence[Finding]
) -> tuple[Statement, ...]:
    """The statements with what their comments claim and the codes of what was found there."""
    found: dict[int, list[str]] = {}
    for finding in findings:
        place = _place(statements, finding)
        if place is not None and finding.code not in found.setdefault(place, []):
            found[place].append(finding.code)
    return tuple(
        replace(each, claim=claims.get(each.line, ""), findings=tuple(found.get(i, ())))
        if each.line in claims or i in found
        else each
        for i, each in enumerate(statements)
    )


def _remark(site: Site, stepped_over: Sequence[Imported]) -> str:
    """What is said of an import that nothing uses, and of a statement that did nothing but raise an error."""
    if not isinstance(site.statement, Import):
        return f"raised {site.raised}" if site.raised and site.first is site.last is None else ""
    names = [each.name for each in site.statement.names if each in stepped_over]
    return f"stepped over: {named(names)} {'is' if len(names) == 1 else 'are'} not used" if names else ""


def _place(statements: Sequence[Statement], finding: Finding) -> int | None:
    """The innermost statement that a finding is about."""
    if finding.span is None:
        return None
    start = finding.span[0]
    around = [i for i, each in enumerate(statements) if each.span[0] <= start < max(each.span[1], start + 1)]
    inside = [i for i in around if start < statements[i].span[1]]
    return max(inside or around, key=lambda i: statements[i].span[0], default=None)


def _record(program: Program, site: Site, failed: bool) -> Statement:
    first, last = site.first or Did(0), site.last
    again = last is not None and site.first is not None and last.number != first.number
    written = site.statement
    return Statement(
        line=program.source.line_of(written.span.start),
        span=(written.span.start, written.span.end),
        text=header(program, written),
        depth=site.depth,
        count=site.count,
        made=first.made,
        changed=first.changed,
        printed=first.printed,
        last=Round(last.number, last.made, last.changed, last.printed) if again and last else None,
        failed=failed,
    )


def header(program: Program, statement: Written) -> str:
    """The text of a statement without its block and the comments in that."""
    part = _BLOCKS.get(type(statement))
    block = getattr(statement, part) if part else ()
    end = block[0].span.start if block else statement.span.end
    text, at = "", statement.span.start
    for comment in program.comments:
        if at <= comment.span.start < end:
            text += program.source.text[at : comment.span.start]
            at = comment.span.end
    return (text + program.source.text[at:end]).rstrip()
