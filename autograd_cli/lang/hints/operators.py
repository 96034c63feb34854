"""Operators of other languages and of mathematics, one left out, one too many."""

import ast
from itertools import pairwise

from autograd_cli.errors import Span
from autograd_cli.lang.hints.found import Edit, Found, Text, match_of, spaced
from autograd_cli.lang.tokens import Token, TokenKind

# What stands here as tokens side by side, and what to write in Python.
_ELSEWHERE = {
    "&&": ("and", "Write `and` for one truth value, `&` with both sides in brackets for tensors."),
    "||": ("or", "Write `or` for one truth value, `|` with both sides in brackets for tensors."),
    "<>": ("!=", "Write `!=`."),
    "=<": ("<=", "Write `<=`."),
    "=>": (">=", "Write `>=`."),
    "===": ("==", "Write `==`."),
    "!==": ("!=", "Write `!=`."),
    ".*": ("*", "Write `*`: it works element by element."),
    "./": ("/", "Write `/`: it works element by element."),
    ".^": ("**", "Write `**`: it works element by element."),
    ".**": ("**", "Write `**`: it works element by element."),
}
_SIGNS = {"+", "-", "~", "not"}
_BINARY = {"*", "/", "//", "%", "@", "**", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">="}
_WORDS = {"and", "or", "in", "is"}
_LOGIC = {"not", *_WORDS, "if", "else", "True", "False", "None"}


def of_other_language(text: Text) -> Found | None:
    """`&&`, `.*`, `===` and their like."""
    for index, token in enumerate(text.tokens):
        for spelling, (python, hint) in _ELSEWHERE.items():
            if _stands_at(text, index, spelling) and _is_whole(text.tokens, index, spelling):
                span = Span(token.start, token.start + len(spelling))
                edit = Edit(span, spaced(text.text, span, python))
                return Found(span, f"`{spelling}` is no operator of Python.", hint, (edit,))
    return None


def _stands_at(text: Text, index: int, spelling: str) -> bool:
    token = text.tokens[index]
    return (
        token.text[0] in "&|<=!."
        and token.kind is not TokenKind.NUMBER
        and text.text.startswith(spelling, token.start)
    )


def _is_whole(tokens: list[Token], index: int, spelling: str) -> bool:
    """Whether the spelling is made of whole tokens, more than one."""
    end, start = tokens[index].start + len(spelling), tokens[index].start
    return any(token.end == end and token.start > start for token in tokens[index : index + 3])


def equals_sign(text: Text) -> Found | None:
    """`=` outside a call: a definition `f(x) = …`, an equation, a spreadsheet's first sign."""
    depth = 0
    for index, token in enumerate(text.tokens):
        depth += (token.kind is TokenKind.OPEN) - (token.kind is TokenKind.CLOSE)
        if token.text != "=" or depth > 0 or token is text.tokens[-1]:
            continue
        begin = max((t.end for t in text.tokens[:index] if t.text == ";"), default=text.tokens[0].start)
        if index and _is_target(text.text[begin : token.start]):
            continue
        if index == 0:
            return Found(
                token.span, "`=` stands before the expression.", "Leave it out.", (Edit(token.span, ""),)
            )
        return _definition(text, index) or _equation(token)
    return None


def _is_target(written: str) -> bool:
    """Whether what is written can be given a value: `x`, `a, b`, `z[0]`, `y = x`."""
    try:
        ast.parse(f"{written.strip()} = 0")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _definition(text: Text, index: int) -> Found | None:
    """`f(x) = …`, where f is no function of the language."""
    from autograd_cli.lang.lookup import is_function_name

    token, tokens = text.tokens[index], text.tokens
    is_call = index > 2 and tokens[1].text == "(" and match_of(tokens, 1) == index - 1
    if tokens[0].kind is not TokenKind.NAME or not is_call or is_function_name(tokens[0].text):
        return None
    rest = text.text[token.end : tokens[-1].end].strip()
    return Found(
        Span(tokens[0].start, token.end),
        f"`{text.text[tokens[0].start : token.end]}` defines a function in mathematics, not in Python.",
        f"Write the right side alone, `{rest}`, or a `def`.",
        (Edit(Span(tokens[0].start, token.end), ""),),
    )


def _equation(token: Token) -> Found:
    return Found(
        token.span,
        "`=` gives a value to a name, and what stands on its left is no name.",
        "Write `==` to compare, or the difference of the two sides.",
        (Edit(token.span, "=="),),
    )


def odd_sign(text: Text) -> Found | None:
    """`?`, `!`, `$` and a backslash, which begin nothing in Python."""
    for index, token in enumerate(text.tokens):
        if token.kind is TokenKind.OTHER and token.text in _ODD:
            return _ODD[token.text](text, index)
    return None


def _question(text: Text, index: int) -> Found:
    return Found(
        text.tokens[index].span,
        "`?` is no operator of Python.",
        "Write `a if condition else b`, or `where(condition, a, b)` element by element.",
    )


def _exclamation(text: Text, index: int) -> Found:
    token, tokens = text.tokens[index], text.tokens
    if index > 0 and tokens[index - 1].ends_operand:
        return Found(
            token.span,
            "`!` is no operator of Python, and torch has no factorial.",
            "Write `exp(lgamma(x + 1))` for the factorial of x.",
        )
    return Found(token.span, "`!` is no operator of Python.", "Write `not`.", (Edit(token.span, "not "),))


def _dollar(text: Text, index: int) -> Found:
    dollars = [t for t in text.tokens if t.text == "$"]
    return Found(
        text.tokens[index].span,
        "`$` has no meaning in the language.",
        "Write names as they are; values come from the command line, `--x 2`.",
        tuple(Edit(token.span, "") for token in dollars),
    )


def _backtick(text: Text, index: int) -> Found:
    ticks = [t for t in text.tokens if t.text == "`"]
    return Found(
        text.tokens[index].span,
        "A backtick has no meaning in the language.",
        "Leave it out.",
        tuple(Edit(token.span, "") for token in ticks),
    )


def _backslash(text: Text, index: int) -> Found:
    marks = [t for t in text.tokens if t.text == "\\"]
    token = text.tokens[index]
    if not text.text[token.end :].strip():
        return Found(
            token.span,
            "The backslash continues the line, and nothing follows.",
            "Write the rest, or leave the backslash out.",
            (Edit(token.span, ""),),
        )
    return Found(
        text.tokens[index].span,
        "A backslash has no meaning here; LaTeX is not read.",
        "Write the name alone: `sin(x)`, `pi`, `a/b`.",
        () if "{" in text.text else tuple(Edit(token.span, "") for token in marks),
    )


_ODD = {"?": _question, "!": _exclamation, "$": _dollar, "`": _backtick, "\\": _backslash}


def derivative_sign(text: Text) -> Found | None:
    """`d/dx` before a function."""
    words = [token.text for token in text.tokens[:4]]
    if len(words) < 4 or words[:2] != ["d", "/"] or words[2][0] != "d" or not text.tokens[3].begins_operand:
        return None
    sign = Span(text.tokens[0].start, text.tokens[2].end)
    return Found(
        sign,
        f"`{text.text[sign.start : sign.end]}` has no meaning in the language.",
        "Write the function alone: its derivative by each name is what agx computes.",
        (Edit(sign, ""),),
    )


def dot(text: Text) -> Found | None:
    """A dot with no name after it."""
    for token, after in pairwise(text.tokens):
        if token.text == "." and after.kind is not TokenKind.NAME:
            return Found(
                Span(token.start, after.end),
                f"`{after.text}` follows a dot, where the name of an attribute or a method is due.",
                "Write a name, as in `x.T`, or leave the dot out.",
            )
    return None


def bare_not(text: Text) -> Found | None:
    """`x + not y`: `not` binds less than the operator before it."""
    for before, token in pairwise(text.tokens):
        if token.text == "not" and (before.text in _BINARY or before.text in _SIGNS - {"not"}):
            return Found(
                Span(before.start, token.end),
                f"`not` cannot follow `{before.text}`, which binds more tightly.",
                "Write brackets around `not` and its operand.",
            )
    return None


def template(text: Text) -> Found | None:
    """`t"…"`, which newer Pythons have and older ones cannot read."""
    for token in text.tokens:
        if token.kind is TokenKind.STRING and "t" in token.text[: token.text.find(token.text[-1])].lower():
            return Found(
                token.span,
                "A template string makes text from values, and an expression of tensors has no use for it.",
                "Write a plain string, as in `F.mse_loss(x, y, reduction='sum')`.",
            )
    return None


def curly_bracket(text: Text) -> Found | None:
    """`sin{x}`: a curly bracket that follows an operand."""
    for index, token in enumerate(text.tokens[1:], 1):
        closing = match_of(text.tokens, index) if token.text == "{" else None
        if closing is not None and text.tokens[index - 1].ends_operand:
            return Found(
                token.span,
                "`{` begins a set or a dict in Python, not the arguments of a call.",
                "Write `(` and `)`.",
                (Edit(token.span, "("), Edit(text.tokens[closing].span, ")")),
            )
    return None


def missing_operand(text: Text) -> Found | None:
    """An operator with nothing on one side, or two that follow each other."""
    tokens = text.tokens
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else None
        if _needs_left(token) and (before is None or _ends_open(before)) and not _unpacks(tokens, index):
            return _nothing_left(before, token)
        if token.kind is TokenKind.CLOSE and before is not None and _needs_right(before):
            return Found(
                before.span,
                f"Nothing stands between `{before.text}` and `{token.text}`.",
                f"Write the operand, or leave `{before.text}` out.",
            )
    last = tokens[-1]
    if not _needs_right(last) or text.opens_block:
        return None
    return Found(last.span, f"The expression ends after `{last.text}`.", "Write what follows it.")


def _needs_left(token: Token) -> bool:
    return token.text in _BINARY or token.text in _WORDS


def _needs_right(token: Token) -> bool:
    return (
        token.text in _BINARY
        or token.text in _SIGNS
        or token.text in _LOGIC - {"True", "False", "None"}
        or token.text in (".", "=")
    )


def _ends_open(token: Token) -> bool:
    """Whether an operand is still due after `token`."""
    return (
        token.kind is TokenKind.OPEN
        or token.text == ","
        or (token.text not in ("not",) and _needs_right(token))
    )


def _unpacks(tokens: list[Token], index: int) -> bool:
    """Whether `*` or `**` unpacks an argument, and `in` belongs to `not in`."""
    before = tokens[index - 1].text if index else ""
    return tokens[index].text in ("*", "**") and before in ("(", "[", ",", "{")


def _nothing_left(before: Token | None, token: Token) -> Found:
    if before is None:
        return Found(
            token.span,
            f"`{token.text}` stands between two operands, and nothing is on its left.",
            f"Write the left operand, or leave `{token.text}` out.",
        )
    return Found(
        Span(before.start, token.end),
        f"Nothing stands between `{before.text}` and `{token.text}`.",
        "Write the operand, or leave one of the two out.",
    )


def stray_comma(text: Text) -> Found | None:
    """A comma with nothing before it, or an index with nothing in it."""
    for before, token in zip([None, *text.tokens], text.tokens, strict=False):
        if token.text == "," and (before is None or before.kind is TokenKind.OPEN or before.text == ","):
            where = "before this comma" if before is None or before.text != "," else "between two commas"
            return Found(
                token.span, f"Nothing stands {where}.", "Leave the comma out.", (Edit(token.span, ""),)
            )
    for index in range(len(text.tokens) - 2):
        value, first, second = text.tokens[index : index + 3]
        if value.ends_operand and (first.text, second.text) == ("[", "]"):
            return Found(
                Span(first.start, second.end),
                "Nothing stands between `[` and `]`, where an index is due.",
                "Write an index, `x[0]`, or `x[:]` for all.",
            )
    return None


def stray_colon(text: Text) -> Found | None:
    """A colon outside an index."""
    opened: list[str] = []
    for token in text.tokens:
        if token.kind is TokenKind.OPEN:
            opened.append(token.text)
        elif token.kind is TokenKind.CLOSE and opened:
            opened.pop()
        elif token.text in (":", ";") and opened[-1:] not in (["["], ["{"]):
            if not opened and (token.text == ";" or text.opens_block):
                continue
            return Found(
                token.span,
                f"`{token.text}` cannot stand here.",
                "A colon belongs into an index, `x[1:3]`."
                if token.text == ":"
                else "Write `,` between arguments.",
                () if token.text == ":" or not opened else (Edit(token.span, ","),),
            )
    return None


def condition_without_else(text: Text) -> Found | None:
    """`a if c` with no `else`, and `if c then a`."""
    conditions = [t for t in text.tokens[text.opens_block :] if t.text == "if"]
    if len(conditions) <= sum(t.text == "else" for t in text.tokens):
        return None
    return Found(
        conditions[0].span,
        "`if` has no `else`, and an expression has a value in either case.",
        "Write `a if condition else b`.",
    )
