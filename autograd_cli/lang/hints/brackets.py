"""Strings without an end, brackets without a partner, and `|x|`."""

from autograd_cli.errors import Span
from autograd_cli.lang.hints.found import Edit, Found, Text
from autograd_cli.lang.tokens import Token, TokenKind

_PARTNER = {"(": ")", "[": "]", "{": "}", ")": "(", "]": "[", "}": "{"}


def transpose_mark(text: Text) -> Found | None:
    """`A'`, which other languages read as the transpose of A."""
    for before, token in zip(text.tokens, text.tokens[1:], strict=False):
        is_quote = token.kind in (TokenKind.UNCLOSED, TokenKind.STRING) and token.text[0] == "'"
        if is_quote and before.ends_operand and before.end == token.start and not before.is_keyword:
            marks = [token.start + i for i, char in enumerate(token.text) if char == "'"]
            return Found(
                Span(token.start, token.start + 1),
                "`'` begins a string in Python; it does not transpose.",
                "Write `.T`.",
                tuple(Edit(Span(at, at + 1), ".T") for at in marks),
            )
    return None


def unclosed_string(text: Text) -> Found | None:
    """A string that goes on to the end of its line."""
    for index, token in enumerate(text.tokens):
        if token.kind is TokenKind.UNCLOSED:
            quotes, end = _quotes(token.text), _likely_end(text.tokens[:index], token)
            return Found(
                token.span,
                f"The string that begins at column {text.column(token.start)} has no closing {quotes}.",
                f"Write {quotes} where the string ends.",
                (Edit(Span(end, end), quotes),),
            )
    return None


def _likely_end(before: list[Token], string: Token) -> int:
    """Where the string most likely ends: before the brackets that close those open here."""
    depth = sum((t.kind is TokenKind.OPEN) - (t.kind is TokenKind.CLOSE) for t in before)
    end = string.end
    while depth > 0 and string.text[end - string.start - 1] in ")]}":
        depth, end = depth - 1, end - 1
    return end


def _quotes(string: str) -> str:
    quoted = string.lstrip("rbuftRBUFT")
    return quoted[:3] if quoted[:3] in ('"""', "'''") else quoted[0]


def unbalanced_bracket(text: Text) -> Found | None:
    """The first bracket that closes none or the wrong one, else the innermost one left open."""
    opened: list[Token] = []
    for token in text.tokens:
        if token.kind is TokenKind.OPEN:
            opened.append(token)
        elif token.kind is TokenKind.CLOSE:
            if not opened:
                return _stray(token)
            if opened.pop().text != _PARTNER[token.text]:
                return _mismatch(text, _last_open(text.tokens, token), token)
    return _left_open(text, opened) if opened else None


def _last_open(tokens: list[Token], closing: Token) -> Token:
    """The bracket that is open where `closing` stands."""
    opened: list[Token] = []
    for token in tokens:
        if token is closing:
            break
        if token.kind is TokenKind.OPEN:
            opened.append(token)
        elif token.kind is TokenKind.CLOSE:
            opened.pop()
    return opened[-1]


def _stray(token: Token) -> Found:
    return Found(
        token.span,
        f"`{token.text}` closes a bracket, and none is open here.",
        f"Leave it out, or write `{_PARTNER[token.text]}` where it should open.",
        (Edit(token.span, ""),),
    )


def _mismatch(text: Text, opening: Token, closing: Token) -> Found:
    due = _PARTNER[opening.text]
    return Found(
        closing.span,
        f"`{closing.text}` stands where `{due}` is due: "
        f"the bracket open here is the `{opening.text}` at column {text.column(opening.start)}.",
        f"Write `{due}`.",
        (Edit(closing.span, due),),
    )


def _left_open(text: Text, opened: list[Token]) -> Found:
    last = opened[-1]
    closing = "".join(_PARTNER[token.text] for token in reversed(opened))
    end = _line_end(text, opened[0], closing)
    return Found(
        last.span,
        f"The `{last.text}` at column {text.column(last.start)} is never closed.",
        f"Write `{_PARTNER[last.text]}` where it ends.",
        (Edit(Span(end, end), closing),),
    )


def _line_end(text: Text, first: Token, closing: str) -> int:
    """Where the brackets most likely close: at the end of their line, if the text can be read then."""
    end = text.tokens[-1].end
    stop = text.text.find("\n", first.end)
    line = max((token.end for token in text.tokens if token.end <= stop), default=end)
    is_read = stop >= 0 and text.parses(text.text[:line] + closing + text.text[line:])
    return line if is_read else end


def bars(text: Text) -> Found | None:
    """`|x|` for the absolute value: a bar where an operand is due, and its partner."""
    tokens = text.tokens
    for index, token in enumerate(tokens):
        if token.text == "|" and (index == 0 or not tokens[index - 1].ends_operand):
            partner = _partner(tokens, index)
            if partner is not None:
                inside = text.text[token.end : partner.start].strip()
                return Found(
                    Span(token.start, partner.end),
                    "`|` stands between two operands; `|…|` is no absolute value.",
                    f"Write `abs({inside})`.",
                    (Edit(token.span, "abs("), Edit(partner.span, ")")),
                )
    return None


def _partner(tokens: list[Token], at: int) -> Token | None:
    """The next bar at the same depth that follows an operand."""
    depth = 0
    for before, token in zip(tokens[at:], tokens[at + 1 :], strict=False):
        depth += (token.kind is TokenKind.OPEN) - (token.kind is TokenKind.CLOSE)
        if depth < 0:
            return None
        if depth == 0 and token.text == "|" and before.ends_operand:
            return token
    return None
