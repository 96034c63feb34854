"""Pages by what they speak of: a code, a name, a word, a message of torch."""

import re
from functools import cache

from autograd_cli.catalogue.likeness import is_same, message_words, nearness
from autograd_cli.catalogue.load import Page, pages

_WORDS = 4
"""A message of fewer words is not compared by its words."""


def find(word: str) -> tuple[Page, ...]:
    """The pages that speak of `word`: its code first, then in names, titles, texts.

    Case, line breaks and the numbers of a message do not count: a message of torch, as
    it was printed, finds the page that quotes it with other shapes and dtypes.
    """
    wanted = _flat(word)
    if not wanted:
        return ()
    ranked = [(rank, found) for found in pages() if (rank := _rank(found, wanted)) is not None]
    best = [found for rank, found in sorted(ranked, key=lambda pair: pair[0])]
    return tuple(best) or _alike(" ".join(word.split()))


def _rank(found: Page, wanted: str) -> int | None:
    """How near `wanted` is to the subject of a page, 0 nearest; None when it is not in it."""
    heads = (found.code, " ".join(found.names), found.title)
    near = next((rank for rank, text in enumerate(heads) if _joined(wanted).search(_flat(text))), None)
    if near is None and wanted in _flat(found.text):
        return len(heads)
    if near is None and set(wanted.split()) <= set(_flat(found.text).split()):
        return len(heads) + 1
    return near


def _alike(wanted: str) -> tuple[Page, ...]:
    """The pages that quote the message most like `wanted`, where it has most words of the shorter one."""
    if len(message_words(wanted)) < _WORDS:
        return ()
    near = {page: max((nearness(wanted, line), line) for line in quoted) for page, quoted in _quoting()}
    best, line = max(near.values())
    return tuple(page for page, (one, _) in near.items() if one == best) if is_same(wanted, line) else ()


@cache
def _quoting() -> tuple[tuple[Page, tuple[str, ...]], ...]:
    """Each page that quotes messages, and those that have words enough to be compared."""
    found = []
    for page in pages():
        lines = [line.strip() for line in page.text.splitlines() if line.startswith("    ")]
        found.append((page, tuple(line for line in lines if len(message_words(line)) >= _WORDS)))
    return tuple((page, lines) for page, lines in found if lines)


def _flat(text: str) -> str:
    """A text in lower case with one blank between words, those of names of code and pages too."""
    return " ".join(text.lower().replace("-", " ").replace("_", " ").split())


@cache
def _joined(wanted: str) -> re.Pattern[str]:
    """The words with or without a blank between them: a name may have `batchnorm` for `batch norm`."""
    return re.compile(" ?".join(map(re.escape, wanted.split())))
