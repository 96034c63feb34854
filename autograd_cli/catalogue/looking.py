"""Pages by what they speak of: a code, a name, a word, a message of torch."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from autograd_cli.catalogue.likeness import is_same, message_words, nearness
from autograd_cli.catalogue.load import Page, pages

_WORDS = 4
"""A message of fewer words is not compared by its words."""


def find(word: str) -> tuple[Page, ...]:
    """The pages that speak of `word`: in name, title or what people say for it, then elsewhere in the text.

    Of these as of those the commonest mistake first. Case, line breaks and the numbers of a message do
    not count: a message of torch, as it was printed, finds the page that quotes it with other shapes.
    """
    wanted = _flat(word)
    if not wanted:
        return ()
    places = {code: place for place, code in enumerate(said())}
    found = [
        (rank, places.get(one.code, len(places)), one.code, one)
        for one in pages()
        if (rank := _rank(one, wanted))
    ]
    best = tuple(one for *_, one in sorted(found, key=lambda row: row[:3]))
    return best or _meant(wanted, places) or _alike(" ".join(word.split()))


@cache
def said() -> Mapping[str, tuple[str, ...]]:
    """What people say for a mistake beside its name, by its code; the commonest mistakes first."""
    text = (files(__package__) / "order.json").read_text(encoding="utf-8")
    return {code: tuple(map(_flat, words)) for code, words in json.loads(text).items()}


def spoken() -> tuple[str, ...]:
    """Every word of the names and titles, and what people say."""
    heads = (word for one in pages() for word in _flat(f"{' '.join(one.names)} {one.title}").split())
    return tuple(dict.fromkeys((*heads, *(word for words in said().values() for word in words))))


def _rank(found: Page, wanted: str) -> int:
    """How near `wanted` is to the subject of a page, 1 nearest; 0 when it is not in it."""
    if wanted == found.code.lower() or wanted in said().get(found.code, ()):
        return 1
    heads = (f"{found.code} {found.name} {found.title}", " ".join(found.names), found.text)
    near = next((rank for rank, text in enumerate(heads, 1) if _joined(wanted).search(_flat(text))), 0)
    return near or (len(heads) + 1 if set(wanted.split()) <= set(_flat(found.text).split()) else 0)


def _meant(wanted: str, places: Mapping[str, int]) -> tuple[Page, ...]:
    """The pages for which people say several words that are all in `wanted`, whatever stands between them."""
    words = set(wanted.split())
    phrases = {code: [phrase.split() for phrase in its if " " in phrase] for code, its in said().items()}
    found = [one for one in pages() if any(words.issuperset(each) for each in phrases.get(one.code, ()))]
    return tuple(sorted(found, key=lambda one: places[one.code]))


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
    """The words, from where one begins, with a blank between them or none: `batchnorm` for `batch norm`."""
    return re.compile(r"(?<!\w)" + " ?".join(map(re.escape, wanted.split())))
