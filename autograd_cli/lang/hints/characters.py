"""Characters that a person means as something else: `×`, `²`, no-break spaces, full-width signs."""

import re
from itertools import pairwise
from unicodedata import category, digit, normalize

from autograd_cli.errors import Span
from autograd_cli.lang.hints.found import Edit, Found, Text, code_point, edited, spaced
from autograd_cli.lang.tokens import TokenKind, significant

# What mathematics and word processors write, and how Python spells it.
SPELLINGS = {
    **dict.fromkeys("×✕✖⋅∙∗•\u2062", "*"),
    **dict.fromkeys("÷∕⁄", "/"),
    **dict.fromkeys("−–—‐‑‒―", "-"),
    **dict.fromkeys("“”„‟«»″", '"'),
    **dict.fromkeys("‘’‚‛`´′", "'"),
    "≤": "<=", "≥": ">=", "≠": "!=", "≈": "==", "←": "=", "⇒": "->", "¬": "~", "∧": "&", "∨": "|",
    "⊕": "^", "∞": "inf", "∈": "in", "∉": "not in", "½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)",
    "⅓": "(1/3)", "⅔": "(2/3)", "¦": "|", "∣": "|", "‖": "|", "∥": "|",
}  # fmt: skip
_FUNCTIONS = {"√": "sqrt", "∑": "sum", "∏": "prod", "∛": "cbrt"}
_DERIVATIVES = "∂∇∫"
_LETTERS = {"π": "pi"}
_GREEK_QUESTION_MARK = "\u037e"
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))
_POWER = re.compile(f"[{''.join(_RAISED)}]+")
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))


def foreign_character(text: Text) -> Found | None:
    """The first character that begins nothing in Python; the edits mend all of its kind."""
    found: Found | None = None
    edits: list[Edit] = []
    done = 0
    for token in text.tokens:
        if token.kind is not TokenKind.OTHER or token.text in "!?$\\`":
            continue
        if token.start < done:
            continue
        each = _one(text, token.start)
        found = found or each
        edits += each.edits
        done = each.span.end
        if text.is_long:
            break
    return found and Found(found.span, found.sentence, found.hint, tuple(edits))


def _one(text: Text, at: int) -> Found:
    """What is to be said of the character at `at`."""
    char = text.text[at]
    for rule in (_spelling, _blank, _power, _function, _lowered, _plain_form, _derivative):
        found = rule(text, at, char)
        if found is not None:
            return found
    return Found(
        Span(at, at + 1),
        f"{_shown(text, at, char)} has no meaning in the language.",
        "Names are made of letters, digits and `_`; the operators are those of Python.",
    )


def _shown(text: Text, at: int, char: str) -> str:
    """The character and its name; one that does not show has its column instead."""
    if category(char)[0] in "CZ":
        return f"{code_point(char)} at column {text.column(at)}"
    return f"`{char}` ({code_point(char)})"


def _blank(text: Text, at: int, char: str) -> Found | None:
    if char == "\ufeff" or category(char) in ("Cf", "Cc"):
        return Found(
            Span(at, at + 1),
            f"{_shown(text, at, char)} shows nothing, and Python does not read over it.",
            "Delete it.",
            (Edit(Span(at, at + 1), ""),) if category(char) != "Cc" else (),
        )
    if category(char) in ("Zs", "Zl", "Zp"):
        return Found(
            Span(at, at + 1),
            f"{_shown(text, at, char)} looks like a space, and Python takes it for none.",
            "Write a plain space.",
            (Edit(Span(at, at + 1), " "),),
        )
    return None


def _power(text: Text, at: int, char: str) -> Found | None:
    match = _POWER.match(text.text, at)
    if match is None:
        return None
    span, plain = Span(*match.span()), "".join(map(_RAISED.__getitem__, match[0]))
    sentence = f"`{match[0]}` ({code_point(char)}) is not how Python writes a power."
    return _function_power(text, span, plain, sentence) or Found(
        span, sentence, f"Write `**{plain}`.", (Edit(span, f"**{plain}"),)
    )


def _function_power(text: Text, span: Span, plain: str, sentence: str) -> Found | None:
    """`sin²(x)` is `sin(x)**2`, the power of the result; `sin⁻¹(x)` is the inverse function."""
    before = [token for token in text.tokens if token.end == span.start]
    close = _closing(text.text, span.end)
    if not before or close is None or not _is_function(before[0].text):
        return None
    name, start = before[0].text, Span(before[0].start, before[0].start)
    if plain == "-1" and _is_function(f"a{name}"):
        hint = f"Write `a{name}(…)` for the inverse function, `1/{name}(…)` for the reciprocal."
        return Found(span, sentence, hint, (Edit(span, ""), Edit(start, "a")))
    edits = (Edit(span, ""), Edit(Span(close, close), f"**{plain}"))
    return Found(span, sentence, f"Write `{name}(…)**{plain}`.", edits)


def _is_function(word: str) -> bool:
    from autograd_cli.lang.lookup import is_function_name

    return is_function_name(word)


def _closing(text: str, at: int) -> int | None:
    """The offset after the bracket that closes the round one at `at`."""
    depth = 0
    for index in range(at, len(text)):
        depth += (text[index] == "(") - (text[index] == ")")
        if depth <= 0:
            return index + 1 if index > at else None
    return None


def _function(text: Text, at: int, char: str) -> Found | None:
    name = _FUNCTIONS.get(char)
    if name is None:
        return None
    followed = text.text[at + 1 : at + 2] == "("
    edit = Edit(Span(at, at + 1), name if followed else f"{name} ")
    return Found(
        Span(at, at + 1),
        f"`{char}` ({code_point(char)}) is a function's sign, and functions have names here.",
        f"Write `{name}(…)`." if char != "∛" else "Write `(…)**(1/3)`.",
        (edit,) if char != "∛" else (),
    )


def _lowered(text: Text, at: int, char: str) -> Found | None:
    if char not in _LOWERED:
        return None
    return Found(
        Span(at, at + 1),
        f"`{char}` ({code_point(char)}) cannot be part of a name.",
        f"Write a plain digit: `{_LOWERED[char]}`.",
        (Edit(Span(at, at + 1), _LOWERED[char]),),
    )


def _spelling(text: Text, at: int, char: str) -> Found | None:
    return _written(text, at, char, SPELLINGS.get(char))


def _plain_form(text: Text, at: int, char: str) -> Found | None:
    return _written(text, at, char, _plain(char))


def _written(text: Text, at: int, char: str, plain: str | None) -> Found | None:
    """What is said of a character that Python writes `plain`."""
    if plain is None:
        return None
    alike = char == _GREEK_QUESTION_MARK
    says = "looks like `;` and is none." if alike else f"is not how Python writes `{plain}`."
    return Found(
        Span(at, at + 1),
        f"{_shown(text, at, char)} {says}",
        f"Write `{plain}`.",
        (Edit(Span(at, at + 1), spaced(text.text, Span(at, at + 1), plain)),),
    )


def _plain(char: str) -> str | None:
    """The ASCII that a full-width sign or a digit of another script stands for."""
    if category(char) == "Nd":
        return str(digit(char))
    plain = normalize("NFKC", char)
    return plain if plain.isascii() and plain.isprintable() and plain != char else None


def _derivative(text: Text, at: int, char: str) -> Found | None:
    if char not in _DERIVATIVES:
        return None
    return Found(
        Span(at, at + 1),
        f"`{char}` ({code_point(char)}) has no meaning in the language.",
        "Write the function alone: its derivative by each name is what agx computes.",
    )


def in_plain_letters(text: str) -> str:
    """`text` as the language means it: `pi` for `π`, and `3*(x + 1)` for `3(x + 1)`."""
    tokens = significant(text)
    edits = [Edit(token.span, _LETTERS[token.text]) for token in tokens if token.text in _LETTERS]
    for number, bracket in pairwise(tokens):
        if number.kind is TokenKind.NUMBER and bracket.text == "(":
            edits.append(Edit(Span(number.end, bracket.start), "*"))
    return edited(text, edits)
