"""Which page comes first for what a learner types."""

import pytest

from autograd_cli import catalogue
from autograd_cli.catalogue.looking import said


def first(word, count=3):
    return [page.code for page in catalogue.find(word)[:count]]


@pytest.mark.parametrize(
    ("word", "codes"),
    [
        ("inplace", ["AGX409", "AGX412"]),
        ("leaf", ["AGX416", "AGX412"]),
        ("item", ["AGX403", "AGX420"]),
        ("detach", ["AGX453"]),
        ("softmax", ["AGX454"]),
        ("accumulate", ["AGX410", "AGX420"]),
        ("requires_grad", ["AGX402", "AGX412"]),
        ("grad_fn", ["AGX402"]),
        ("nan", ["AGX502"]),
        ("no_grad", ["AGX402"]),
        ("optimizer", ["AGX422", "AGX421"]),
        ("memory", ["AGX420", "AGX444"]),
        ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)", ["AGX301"]),
    ],
)
def test_the_commonest_mistake_with_a_word_comes_first(word, codes):
    assert first(word, len(codes)) == codes


@pytest.mark.parametrize(
    "words",
    [
        "loss not decreasing",
        "My loss is not decreasing",
        "training loss not going down",
        "model does not learn",
    ],
)
def test_a_symptom_finds_the_mistakes_behind_it(words):
    assert first(words, 2) == ["AGX410", "AGX402"]
    assert {"AGX407", "AGX453"} <= {page.code for page in catalogue.find(words)}


def test_what_names_a_page_comes_before_what_only_mentions_the_word():
    found = [page.code for page in catalogue.find("broadcast")]
    assert found.index("AGX302") < found.index("AGX317")
    assert found.index("AGX407") < found.index("AGX317")


def test_the_order_is_of_pages_that_there_are_each_word_said_once():
    codes = {page.code for page in catalogue.pages()}
    assert set(said()) <= codes
    assert all(len(words) == len(set(words)) for words in said().values())
    assert all(word and word == word.strip() for words in said().values() for word in words)
