"""From a source to a Program: limits first, then Python's grammar, then own nodes.

What the text means is Python's to say, so `ast.parse` reads it; nothing of its tree is
ever evaluated. Where it finds a fault, `hints` says what the fault is.
"""

import ast
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from autograd_cli.errors import LanguageError, LimitError, Span
from autograd_cli.lang.blocks import block
from autograd_cli.lang.nodes import Assign, Comment, Evaluate, Program
from autograd_cli.lang.reader import MAX_INTEGER_BITS, Places, Reader, integer_too_large
from autograd_cli.lang.refusals import SECOND, VALUE, Refusal
from autograd_cli.lang.same import SHORT, remembered
from autograd_cli.lang.source import Source
from autograd_cli.lang.tokens import Token, TokenKind, scan, significant

# More levels than this in Python's own tree would overflow a C stack of 8 MB.
_MOST_RECURSION = 10_000


@dataclass(frozen=True)
class TextLimits:
    """How large a source may be: bytes as UTF-8, expression nodes, levels of nesting, links of a chain."""

    max_text: int = 64 << 10
    max_nodes: int = 10_000
    max_nesting: int = 200
    max_chain: int = 800


_DEFAULT_LIMITS = TextLimits()


def parse(source: Source, limits: TextLimits = _DEFAULT_LIMITS) -> Program:
    """The program that `source` is, without looking at what its names mean.

    Raises LanguageError where the text is not in the language, LimitError where it passes
    a limit, and nothing else.
    """
    return _kept(source, limits) if len(source.text) <= SHORT else _parsed(source, limits)


@remembered
def _kept(source: Source, limits: TextLimits) -> Program:
    """The program of a short text.

    Nothing but the text, its name and the limits goes into a Program, and nothing changes one.
    """
    return _parsed(source, limits)


def _parsed(source: Source, limits: TextLimits) -> Program:
    reader, tree = _read(source, limits)
    try:
        statements = block(reader, tree.body)
    except LanguageError as error:
        explained = _explained_alone(error, tree.body, reader)
        explained.also = tuple(_others(limits, reader.places, tree.body, explained))
        raise explained from None
    return Program(source, statements, tuple(_comments(source)))


def _others(
    limits: TextLimits, places: Places, body: list[ast.stmt], first: LanguageError
) -> Iterator[LanguageError]:
    """The refusals of the statements below the first that is refused."""
    for statement in body:
        if first.span is not None and places.span(statement).start > first.span.start:
            try:
                block(Reader(places, limits.max_nodes, limits.max_nesting, limits.max_chain), [statement])
            except LanguageError as error:
                yield error
            except LimitError:
                return


def parse_expression(source: Source, limits: TextLimits = _DEFAULT_LIMITS) -> Program:
    """The program of a source that has to be one expression, as a value is.

    Raises what `parse` raises, and LanguageError AGX104 for a statement.
    """
    program = parse(source, limits)
    first = next((s for s in program.statements if not isinstance(s, Evaluate)), None)
    if first is None and len(program.statements) > 1:
        raise _no_value(source, program.statements[1].span, SECOND)
    if first is not None:
        error = _no_value(source, first.span, VALUE)
        if isinstance(first, Assign) and len(program.statements) == 1:
            error.fix = source[first.value.span]
        raise error
    return program


def _no_value(source: Source, span: Span, why: Refusal) -> LanguageError:
    return LanguageError("AGX104", why.sentence, text=source.text, span=span, hint=why.hint)


def _read(source: Source, limits: TextLimits) -> tuple[Reader, ast.Module]:
    """Python's tree of the source, and what makes nodes of it."""
    _check_size(source, limits)
    _check_characters(source)
    tokens = significant(source.text)
    if not tokens:
        raise _empty(source)
    _check_tokens(source, tokens, limits)
    start, end = tokens[0].start, tokens[-1].end
    places = Places(source.text, start, end)
    reader = Reader(places, limits.max_nodes, limits.max_nesting, limits.max_chain)
    return reader, _tree(source, tokens, start, end)


def _comments(source: Source) -> Iterator[Comment]:
    """The comments of the source, in its order."""
    if "#" not in source.text:
        return
    for token in scan(source.text):
        if token.kind is TokenKind.COMMENT:
            yield Comment(token.text[1:], source.line_of(token.start), span=token.span)


def _explained_alone(error: LanguageError, body: list[ast.stmt], reader: Reader) -> LanguageError:
    """`error`, or a better one for a text that Python reads as other than it is meant.

    A notebook's prompt, `In [3]: x`, is an annotation to Python; of a lone `return` the
    value is what to write.
    """
    if any(isinstance(each, ast.AnnAssign) for each in body):
        from autograd_cli.lang.hints import pasted

        return pasted(reader.places.text, is_source) or error
    if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value:
        span = reader.places.span(body[0].value)
        error.fix = reader.places.text[span.start : span.end]
    return error


def is_source(text: str) -> bool:
    """Whether Python reads `text` as statements, parts that the language refuses aside."""
    return bool(_statements(text))


def _statements(text: str) -> list[ast.stmt]:
    """Python's statements of `text`; none where it reads none."""
    tokens = significant(text)
    if not tokens or any(_runs_on(a, b) for a, b in pairwise(tokens)):
        return []
    try:
        return _grammar(text[tokens[0].start : tokens[-1].end], len(tokens)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # UnicodeEncodeError, from half a character, is a ValueError.


def _check_size(source: Source, limits: TextLimits) -> None:
    size = len(source.text.encode("utf-8", "surrogatepass"))
    if size <= limits.max_text:
        return
    raise LimitError(
        "AGX108",
        f"The source is {size:,} bytes long; the limit is {limits.max_text:,}.",
        hint="Put numbers into a file and bind them, `--x @data.npy`, or raise --max-text.",
    )


_FAULTY = re.compile("\0|[\ud800-\udfff]|\r(?!\n)")


def _check_characters(source: Source) -> None:
    """Refuse what no UTF-8 text holds, and the characters that Python's parser reads in its own way."""
    found = _FAULTY.search(source.text)
    if found is None:
        return
    at, char = found.start(), found[0]
    kinds = {
        "\0": "the null character",
        "\r": "a carriage return alone: Python begins a line after it, and a terminal shows none",
    }
    what = kinds.get(char, "half of a character, from a broken encoding")
    raise LanguageError(
        "AGX101",
        f"U+{ord(char):04X} at column {_column(source.text, at)} is {what}.",
        text=source.text,
        span=Span(at, at + 1),
        hint="Type this place again, or save the file as UTF-8" + (" with `\\n`." if char == "\r" else "."),
    )


def _column(text: str, at: int) -> int:
    return at - text.rfind("\n", 0, at)


def _empty(source: Source) -> LanguageError:
    comment = "#" in source.text
    return LanguageError(
        "AGX106",
        "The source holds nothing but a comment." if comment else "The source is empty.",
        text=source.text,
        hint="Write an expression, such as `sin(x**2)`, or a program.",
    )


def _check_tokens(source: Source, tokens: Sequence[Token], limits: TextLimits) -> None:
    """Refuse, before Python's parser sees them, what it would choke on or read in its own way."""
    depth = 0
    for token in tokens:
        depth += (token.kind is TokenKind.OPEN) - (token.kind is TokenKind.CLOSE)
        if depth > limits.max_nesting:
            raise LimitError(
                "AGX108",
                f"Brackets nest more than {limits.max_nesting} deep here.",
                text=source.text,
                span=token.span,
                hint="Bind a part of the expression to a name, and use the name.",
            )
        # A digit takes more than three bits, so nothing that fits is refused.
        if token.kind is TokenKind.NUMBER and _digits(token.text) * 3 > MAX_INTEGER_BITS:
            raise integer_too_large(source.text, token.span)
    for first, second in pairwise(tokens):
        if _runs_on(first, second):
            raise _explained(source)


def _digits(number: str) -> int:
    return len(number) if number.replace("_", "").isdigit() else 0


def _runs_on(first: Token, second: Token) -> bool:
    """Whether a number runs into a word, `1if` or `0x1for`, which Python still takes apart."""
    return first.kind is TokenKind.NUMBER and second.kind is TokenKind.NAME and first.end == second.start


def _tree(source: Source, tokens: Sequence[Token], start: int, end: int) -> ast.Module:
    """Python's tree of the text between the first and the last token."""
    try:
        return _grammar(source.text[start:end], len(tokens))
    except (RecursionError, MemoryError):
        raise LimitError(
            "AGX108",
            "The source nests deeper than Python's parser can follow.",
            text=source.text,
            span=Span(start, end),
            hint="Bind a part of the expression to a name, and use the name.",
        ) from None
    except (SyntaxError, ValueError):
        raise _explained(source) from None


def _grammar(text: str, tokens: int) -> ast.Module:
    """Python's tree, with its recursion limit raised to what the text can need."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, min(tokens + 1000, _MOST_RECURSION)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    finally:
        sys.setrecursionlimit(before)


def _explained(source: Source) -> LanguageError:
    # Imported here: a source without a fault needs no hints.
    from autograd_cli.lang.hints import explain

    return explain(source.text, is_source)
