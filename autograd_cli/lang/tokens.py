"""A text cut into tokens, with no text refused: what the limits and the hints look at.

Python's own tokenizer stops at the first fault; hints are about faults. The grammar is
not decided here: that is `parse`, by Python's parser.
"""

import re
from collections.abc import Iterator
from enum import Enum
from keyword import iskeyword
from typing import NamedTuple

from autograd_cli.errors import Span


class TokenKind(Enum):
    """What a token is; OTHER is a character that begins nothing in Python."""

    NAME = "name"
    NUMBER = "number"
    STRING = "string"
    UNCLOSED = "unclosed"
    OPERATOR = "operator"
    OPEN = "open"
    CLOSE = "close"
    COMMENT = "comment"
    NEWLINE = "newline"
    SPACE = "space"
    OTHER = "other"


class Token(NamedTuple):
    """A piece of a text; `start` counts characters."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after the last character."""
        return self.start + len(self.text)

    @property
    def span(self) -> Span:
        """Where the token stands."""
        return Span(self.start, self.end)

    @property
    def is_keyword(self) -> bool:
        """Whether it is a word that Python keeps for itself."""
        return self.kind is TokenKind.NAME and iskeyword(self.text)

    @property
    def begins_operand(self) -> bool:
        """Whether an operand can begin here, signs aside."""
        if self.kind is TokenKind.NAME:
            return not self.is_keyword or self.text in {"True", "False", "None"}
        return self.kind in _OPERANDS or self.kind is TokenKind.OPEN or self.text == "..."

    @property
    def ends_operand(self) -> bool:
        """Whether an operand can end here."""
        return self.kind is TokenKind.CLOSE or (self.kind is not TokenKind.OPEN and self.begins_operand)


_OPERANDS = {TokenKind.NUMBER, TokenKind.STRING}

# An unclosed string is one token up to its line's end (a triple-quoted one: the text's),
# so that no text is scanned twice from its many quotes.
_PATTERNS = {
    TokenKind.STRING: r"""
        (?i:[rbuft]|[bft]r|r[bft])?
        (?: \"{3}(?:[^"\\]|\\.|"(?!""))*(?:\"{3})? | '{3}(?:[^'\\]|\\.|'(?!''))*(?:'{3})?
          | "(?:[^"\\\r\n]|\\.)*"? | '(?:[^'\\\r\n]|\\.)*'? )""",
    TokenKind.COMMENT: r"\#[^\r\n]*",
    TokenKind.NEWLINE: r"(?:[\ \t\f]*(?:\r\n|\r|\n))+",
    TokenKind.SPACE: r"(?:[\ \t\f]|\\(?:\r\n|\r|\n))+",
    TokenKind.NUMBER: r"""
        0[xX](?:_?[0-9a-fA-F])+ | 0[bB](?:_?[01])+ | 0[oO](?:_?[0-7])+
        | (?: [0-9](?:_?[0-9])*(?:\.(?:[0-9](?:_?[0-9])*)?)? | \.[0-9](?:_?[0-9])* )
          (?:[eE][+-]?[0-9](?:_?[0-9])*)? [jJ]?""",
    TokenKind.NAME: r"[A-Za-z_][A-Za-z0-9_]*",
    TokenKind.OPEN: r"[(\[{]",
    TokenKind.CLOSE: r"[)\]}]",
    TokenKind.OPERATOR: r"""
        \*\*=|//=|>>=|<<=|\.\.\.|\*\*|//|>>|<<|<=|>=|==|!=|->|:=|[-+*/%@&|^]=|[-+*/%@&|^~<>=:,.;]""",
    TokenKind.OTHER: r".",
}
_TOKEN = re.compile(
    "|".join(f"(?P<{kind.name}>{pattern})" for kind, pattern in _PATTERNS.items()), re.VERBOSE | re.DOTALL
)
_QUOTED = re.compile(r"[A-Za-z]{0,2}(\"{3}|'{3}|\"|')(.*)", re.DOTALL)
_BYTE_ORDER_MARK = "\ufeff"


def scan(text: str) -> Iterator[Token]:
    """Every token of `text`, in order; put together again they are the text."""
    position = 0
    if text.startswith(_BYTE_ORDER_MARK):
        yield Token(TokenKind.SPACE, _BYTE_ORDER_MARK, 0)
        position = 1
    while position < len(text):
        token = _next(text, position)
        yield token
        position = token.end


def significant(text: str) -> list[Token]:
    """The tokens of `text` that mean something: no space, comment, or line end in brackets.

    Line ends before the first and after the last token, and all but one of several that
    follow each other, are left out too.
    """
    kept: list[Token] = []
    depth = 0
    for token in scan(text):
        depth += (token.kind is TokenKind.OPEN) - (token.kind is TokenKind.CLOSE)
        is_break = token.kind is TokenKind.NEWLINE
        is_idle = is_break and (depth > 0 or not kept or kept[-1].kind is TokenKind.NEWLINE)
        if token.kind in (TokenKind.SPACE, TokenKind.COMMENT) or is_idle:
            continue
        kept.append(token)
    while kept and kept[-1].kind is TokenKind.NEWLINE:
        kept.pop()
    return kept


def _next(text: str, position: int) -> Token:
    """The token that begins at `position`."""
    match = _TOKEN.match(text, position)
    assert match is not None
    assert match.lastgroup is not None
    kind, found = TokenKind[match.lastgroup], match[0]
    if kind is TokenKind.NAME or (kind is TokenKind.OTHER and found.isidentifier()):
        return Token(TokenKind.NAME, _whole_name(text, position, position + len(found)), position)
    if kind is TokenKind.STRING and not _is_closed(found):
        kind = TokenKind.UNCLOSED
    return Token(kind, found, position)


def _whole_name(text: str, start: int, end: int) -> str:
    """The identifier at `start`, with the letters beyond ASCII that Python allows in it."""
    while end < len(text) and ("a" + text[end]).isidentifier():
        end += 1
    return text[start:end]


def _is_closed(string: str) -> bool:
    match = _QUOTED.fullmatch(string)
    assert match is not None
    quotes, rest = match[1], match[2]
    inner = rest.removesuffix(quotes)
    escaped = (len(inner) - len(inner.rstrip("\\"))) % 2 == 1
    return inner != rest and not escaped
