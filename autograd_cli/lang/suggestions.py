"""What a person most likely meant by a name that the language does not have."""

from collections.abc import Collection
from unicodedata import name as unicode_name

from autograd_cli.lang import lookup
from autograd_cli.lang.vocabulary import (
    ATTRIBUTE_HABITS,
    CONSTANT_HABITS,
    HABITS,
    LOOK_ALIKES,
    MODULE_CLASSES,
)


def in_latin(word: str) -> str:
    """`word` with letters of other alphabets replaced by the Latin ones they look like."""
    return "".join(LOOK_ALIKES.get(char, char) for char in word)


def look_alikes(word: str) -> str:
    """The letters of `word` that look Latin and are not: "U+0455 CYRILLIC SMALL LETTER DZE"."""
    return ", ".join(f"U+{ord(c):04X} {unicode_name(c)}" for c in dict.fromkeys(word) if c in LOOK_ALIKES)


def nearest(word: str, names: Collection[str]) -> str | None:
    """The name that `word` most likely is a misspelling of."""
    folded = {name.casefold(): name for name in sorted(names)}
    same = folded.get(word.casefold())
    if same is not None:
        return same
    if len(word) < 3:
        return None
    # Imported where it is needed: most sources have no misspelling.
    from difflib import get_close_matches

    found = get_close_matches(word.casefold(), list(folded), n=1, cutoff=0.8 if len(word) < 5 else 0.7)
    if found:
        return folded[found[0]]
    swapped = (name for name in folded if sorted(name) == sorted(word.casefold()))
    return next((folded[name] for name in swapped), None)


def for_function(name: str) -> str | None:
    """What to call instead of the unknown function `name`: "log", "F.mse_loss"."""
    known = HABITS.get(name) or MODULE_CLASSES.get(name)
    if known is not None and _is_spelling(known):
        return known
    elsewhere = [each for each in lookup.spellings(name) if not each.startswith("x.")]
    if elsewhere:
        return elsewhere[0]
    near = nearest(name, {*lookup.function_names(), *_short_names()})
    if near is None:
        return None
    return near if lookup.is_function_name(near) else lookup.spellings(near)[0]


def _is_spelling(spelling: str) -> bool:
    """Whether `spelling`, as "F.silu", is a function of the language."""
    return spelling in lookup.spellings(spelling.rpartition(".")[2])


def _short_names() -> set[str]:
    """The last names of functions that are reached by a module: mse_loss, relu6."""
    return {row.name for row in lookup.functions() if not row.spelling.startswith("x.")}


def for_name(name: str, bound: Collection[str]) -> str | None:
    """The name that an unknown, uncalled `name` most likely stands for."""
    habit = CONSTANT_HABITS.get(name)
    if habit is not None:
        return habit
    return nearest(name, bound) or nearest(name, lookup.constant_names())


def for_attribute(name: str) -> str | None:
    """The attribute, or the method with its brackets, that an unknown attribute stands for."""
    habit = ATTRIBUTE_HABITS.get(name)
    if habit is not None:
        return habit or None
    return nearest(name, {*lookup.attribute_names(), *lookup.method_names()})
