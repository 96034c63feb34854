"""Two operands side by side: a lost `*`, `@`, comma or bracket."""

from itertools import pairwise

from autograd_cli.errors import Span
from autograd_cli.lang.hints.found import Edit, Found, Text, operand_end
from autograd_cli.lang.tokens import Token, TokenKind
from autograd_cli.lang.vocabulary import words

_WORDS_OF_EXPRESSIONS = {"and", "or", "not", "in", "is", "if", "else", "True", "False", "None"}
_BEGIN = frozenset(
    words(
        """
        for while if elif else with def class try except finally import from return pass break
        continue assert del global nonlocal raise async
        """
    )
)
_BINDS_TIGHTER = {"*", "/", "//", "%", "@", "**", "^"}


def neighbours(text: Text) -> Found | None:
    """The first two operands with nothing between them that would join them."""
    tokens = text.tokens
    for index in range(1, len(tokens)):
        before, token = tokens[index - 1], tokens[index]
        if token.kind is TokenKind.OPEN or not (before.ends_operand and token.begins_operand):
            continue
        for rule in (_function, _numbers, _number_first, _names):
            found = rule(text, index, before, token)
            if found is not None:
                return found
        return _lost(before, token)
    return None


def run_on(text: Text) -> Found | None:
    """A number that runs into a word of Python: `1if x else 2`."""
    for before, token in pairwise(text.tokens):
        if before.kind is TokenKind.NUMBER and token.is_keyword and before.end == token.start:
            return Found(
                Span(before.start, token.end),
                f"The number `{before.text}` runs into the word `{token.text}`.",
                "Write a space between them.",
                (Edit(Span(token.start, token.start), " "),),
            )
    return None


def _lost(before: Token, token: Token) -> Found:
    product = " * " if before.end < token.start else "*"
    return Found(
        Span(before.start, token.end),
        f"Nothing stands between `{before.text}` and `{token.text}`: an operator is lost.",
        "Write `*` between them for a product.",
        (Edit(Span(before.end, token.start), product),),
    )


def _function(text: Text, index: int, before: Token, token: Token) -> Found | None:
    """`sin x`: brackets around the argument are left out."""
    from autograd_cli.lang.lookup import is_function_name

    end = _argument_end(text.tokens, index)
    if before.kind is not TokenKind.NAME or end is None or not is_function_name(before.text):
        return None
    last, following = text.tokens[end - 1], text.tokens[end].text if end < len(text.tokens) else ""
    span, argument = Span(before.start, last.end), text.text[token.start : last.end]
    sentence = f"The argument of `{before.text}` stands in no brackets."
    if following in _BINDS_TIGHTER:
        return Found(
            span,
            sentence,
            f"Write `{before.text}({argument}){following}…` or `{before.text}({argument}{following}…)`, "
            "as it is meant.",
        )
    edits = (Edit(Span(before.end, token.start), "("), Edit(Span(last.end, last.end), ")"))
    return Found(span, sentence, f"Write `{before.text}({argument})`.", edits)


def _argument_end(tokens: list[Token], index: int) -> int | None:
    """The index after the argument at `index`; `2x` written close is one argument."""
    pair = tokens[index : index + 2]
    if [t.kind for t in pair] == [TokenKind.NUMBER, TokenKind.NAME] and pair[0].end == pair[1].start:
        index += 1
    return operand_end(tokens, index)


def _numbers(text: Text, index: int, before: Token, token: Token) -> Found | None:
    """`[1 2]`: commas are left out, as in what NumPy prints."""
    if before.kind is not TokenKind.NUMBER or token.kind is not TokenKind.NUMBER:
        return None
    if before.end == token.start:
        return Found(
            Span(before.start, token.end),
            f"`{before.text}{token.text}` is no number: it has two points.",
            "A number has one decimal point.",
        )
    gaps = [
        Edit(Span(a.end, b.start), ", ") for a, b in pairwise(text.tokens)
        if (a.kind, b.kind) == (TokenKind.NUMBER, TokenKind.NUMBER) and a.end < b.start
    ]  # fmt: skip
    rows = [
        Edit(Span(a.end, b.start), ", ") for a, b in pairwise(text.tokens) if (a.text, b.text) == ("]", "[")
    ]
    return Found(
        Span(before.start, token.end),
        f"Nothing stands between the numbers `{before.text}` and `{token.text}`.",
        "Write commas between the elements of a list.",
        (*gaps, *rows),
    )


def _number_first(text: Text, index: int, before: Token, token: Token) -> Found | None:
    """`2x`, `2 pi`: mathematics leaves the sign out, Python does not."""
    if before.kind is not TokenKind.NUMBER or token.kind is not TokenKind.NAME:
        return None
    if _is_bad_number(before, token):
        return Found(
            Span(before.start, token.end),
            f"`{before.text}{token.text}` is no number.",
            "Digits are joined by single `_`; 0x, 0o and 0b begin numbers to the base 16, 8 and 2.",
        )
    product = f"{before.text}*{token.text}"
    span = Span(before.start, token.end)
    sentence = f"`{text.text[span.start : span.end]}` is no product in Python."
    if index >= 3 and text.tokens[index - 2].text == "/":
        over = text.tokens[index - 3].text
        return Found(span, sentence, f"Write `{over}/({product})` or `{over}/{product}`, as it is meant.")
    return Found(span, sentence, f"Write `{product}`.", (Edit(Span(before.end, token.start), "*"),))


def _is_bad_number(number: Token, word: Token) -> bool:
    """Whether the two are one number badly written, as `1__0`, `0xg` and `0b2`."""
    marks = word.text[0] == "_" or (number.text == "0" and word.text[0] in "xXbBoO")
    return marks and number.end == word.start


def _names(text: Text, index: int, before: Token, token: Token) -> Found | None:
    """`X w`: a lost `@` or `*`; the upper-case name is taken for a matrix."""
    if {before.kind, token.kind} != {TokenKind.NAME}:
        return None
    first, second = before.text, token.text
    operator = "@" if first[0].isupper() else "*"
    return Found(
        Span(before.start, token.end),
        f"Nothing stands between `{first}` and `{second}`: an operator is lost.",
        f"Write `{first} @ {second}` for the product of matrices, `{first} * {second}` element by element.",
        (Edit(Span(before.end, token.start), f" {operator} "),),
    )


def leading_zeros(text: Text) -> Found | None:
    """`007`, which Python could take for octal and refuses."""
    for token in text.tokens:
        if (
            token.kind is TokenKind.NUMBER
            and token.text.isdigit()
            and token.text[0] == "0"
            and token.text.strip("0")
        ):
            plain = token.text.lstrip("0")
            return Found(
                token.span,
                f"`{token.text}` begins with zeros, which Python does not read as decimal.",
                f"Write `{plain}`.",
                (Edit(token.span, plain),),
            )
    return None


def keyword(text: Text) -> Found | None:
    """A word that Python keeps for itself, where a name is due."""
    begins = text.tokens[0].text in _BEGIN and [token.text for token in text.tokens[1:2]] != ["="]
    after = {b.start for a, b in pairwise(text.tokens) if begins and a.text == ":"}
    for token in text.tokens[begins:]:
        is_due = token.text in _WORDS_OF_EXPRESSIONS or (begins and token.text in ("as", "import"))
        is_due = is_due or token.start in after
        if token.is_keyword and not is_due:
            other = token.text[:3] if len(token.text) > 3 else f"{token.text}_"
            return Found(
                token.span,
                f"`{token.text}` is a word of Python's own and cannot be a name.",
                f"Write another name, such as `{other}`.",
            )
    return None
