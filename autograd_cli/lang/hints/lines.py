"""Expressions that go on over several lines without a bracket, and what nothing else explains."""

from autograd_cli.errors import Span
from autograd_cli.lang.hints.found import Edit, Found, Text
from autograd_cli.lang.tokens import TokenKind


def over_lines(text: Text) -> Found | None:
    """A line end inside an expression, which Python reads over only in brackets."""
    tokens = text.all_tokens
    start, stop = tokens[0].start, tokens[-1].end
    if not any(token.kind is TokenKind.NEWLINE for token in tokens):
        return None
    if text.parses(f"({text.text[start:stop]})"):
        return _in_brackets(Span(start, stop))
    return _next_line(text)


def _next_line(text: Text) -> Found | None:
    """The value of an assignment that goes on in the next line of a program."""
    later = [token for token in text.all_tokens if token.start >= text.tokens[-1].end]
    ends = [token.start for token in later[1:] if token.kind is TokenKind.NEWLINE]
    sign = next((token for token in text.tokens if token.text == "="), None)
    if sign is None or len(later) < 2 or sign is text.tokens[-1]:
        return None
    begin = next(token.start for token in text.tokens if token.start >= sign.end)
    span = Span(begin, ends[0] if ends else later[-1].end)
    mended = f"{text.text[:begin]}({text.text[begin : span.end]}){text.text[span.end :]}"
    return _in_brackets(span) if text.parses(mended) else None


def _in_brackets(span: Span) -> Found:
    return Found(
        span,
        "The expression goes on after the end of its line, which Python reads over only in brackets.",
        "Write it in brackets.",
        (Edit(Span(span.start, span.start), "("), Edit(Span(span.end, span.end), ")")),
    )


def anything(text: Text) -> Found:
    """What is said where no rule knows the fault."""
    tokens = text.tokens
    return Found(
        Span(tokens[0].start, tokens[-1].end),
        "Python cannot read this.",
        "Compare with `sin(x**2) + mean((X @ w - y)**2)`: operators between operands, arguments in brackets.",
    )
