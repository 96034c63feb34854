"""What is wrong with a text that Python cannot read, and the spelling that works.

Takes: the text, after Python's parser has refused it.
Gives: a LanguageError AGX101 with the place, a sentence, a hint, and the mended text.
May import lang and errors. Must not import torch.
"""

import ast
import re
import warnings
from collections.abc import Callable

from autograd_cli.errors import LanguageError
from autograd_cli.lang.hints import brackets, characters, lines, neighbours, operators, pastes, statements
from autograd_cli.lang.hints.found import Found, Rule, Text, edited
from autograd_cli.lang.tokens import significant

# In the order in which they are asked: what is certain stands before what is likely.
RULES: tuple[Rule, ...] = (
    pastes.prompt,
    pastes.fence,
    pastes.colour_code,
    characters.foreign_character,
    brackets.transpose_mark,
    brackets.unclosed_string,
    brackets.unbalanced_bracket,
    lines.over_lines,
    statements.depth,
    statements.body,
    statements.indentation,
    statements.colon,
    statements.defaults,
    operators.of_other_language,
    operators.odd_sign,
    brackets.bars,
    operators.template,
    operators.curly_bracket,
    neighbours.leading_zeros,
    neighbours.run_on,
    neighbours.keyword,
    operators.derivative_sign,
    neighbours.neighbours,
    operators.equals_sign,
    operators.missing_operand,
    operators.stray_comma,
    operators.stray_colon,
    operators.condition_without_else,
    operators.dot,
    operators.bare_not,
    statements.order,
)

# A text can have several faults; each round mends one kind.
_ROUNDS = 20


def explain(text: str, parses: Callable[[str], bool]) -> LanguageError:
    """The error for a text that Python cannot read; `fix` is the text mended, where rules can.

    `parses` tells whether Python reads a text.
    """
    fault = _read(text, parses)
    first = _found(fault) or lines.anything(fault)
    return LanguageError(
        "AGX101",
        first.sentence,
        text=text,
        span=first.span,
        hint=first.hint,
        fix=_mended(fault, first),
    )


def _read(text: str, parses: Callable[[str], bool]) -> Text:
    """The text with what Python says is wrong with it."""
    tokens = significant(text)
    if not tokens:
        return Text(text, parses)
    start = tokens[0].start
    before = len(re.findall(r"\r\n|\r|\n", text[:start]))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text[start : tokens[-1].end])
    except SyntaxError as fault:
        return Text(text, parses, fault, (fault.lineno or 1) + before)
    except (ValueError, RecursionError, MemoryError):
        pass
    return Text(text, parses)


def pasted(text: str, parses: Callable[[str], bool]) -> LanguageError | None:
    """The error for a notebook's prompt that Python reads as an annotation, `In [3]: x`."""
    return explain(text, parses) if pastes.prompt(Text(text, parses)) else None


def _found(text: Text) -> Found | None:
    """What the first rule says that knows the fault."""
    return next((found for rule in RULES if (found := rule(text))), None)


def _mended(text: Text, found: Found | None) -> str:
    """The text after the edits of one rule after the other, once it parses; else nothing."""
    for _ in range(_ROUNDS):
        if found is None or not found.edits or text.is_long:
            return ""
        text = _read(edited(text.text, found.edits), text.parses)
        if text.parses(text.text):
            plain = characters.in_plain_letters(text.text)
            return (plain if text.parses(plain) else text.text).strip()
        found = _found(text) if text.tokens else None
    return ""
