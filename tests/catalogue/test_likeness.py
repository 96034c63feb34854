"""How like two messages are, and which program says the likest."""

import pytest

from autograd_cli.catalogue import Example, Kind, Said, is_same, message_words, nearest, nearness

PRODUCT = "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"


def said(message, text="x = 1\n", name="matmul-shape-mismatch"):
    return Said(Example(Kind.SCRIPT, text), message, frozenset({name}))


def test_numbers_punctuation_case_and_the_class_do_not_count():
    assert message_words(f"RuntimeError: {PRODUCT}") == message_words(PRODUCT.upper().replace("3", "7"))
    assert message_words("[4, 5] (6x7)") == frozenset()


@pytest.mark.parametrize(
    ("message", "other", "same"),
    [
        (PRODUCT, "RuntimeError: mat1 and mat2 shapes cannot be multiplied (5x7 and 9x2)", True),
        (PRODUCT, "shapes cannot be multiplied", True),
        (PRODUCT, f"{PRODUCT}; see the notes of this release on what was added", True),
        (PRODUCT, "index 3 is out of bounds for dimension 0 with size 3", False),
        (PRODUCT, "", False),
        ("", "", False),
    ],
)
def test_messages_are_the_same_where_the_shorter_stands_in_the_other(message, other, same):
    assert is_same(message, other) is is_same(other, message) is same


def test_of_two_that_share_as_much_the_one_with_fewer_other_words_is_nearer():
    assert nearness("a b c", "a b c d") == (1.0, -1)
    assert nearness("a b c", "a b c d") > nearness("a b c", "a b c d e") > nearness("a b c", "a b e")


def test_the_nearest_program_says_it_or_has_the_name_or_is_the_shortest():
    other, silent = said("index 3 is out of bounds"), said("")
    long = said(PRODUCT, "x = 1\ny = 2\n")
    assert nearest([silent, other, long, said(PRODUCT)], PRODUCT, "x") == said(PRODUCT)
    assert nearest([silent, long, other], PRODUCT, "x") == long
    assert nearest([silent, other], PRODUCT, "x") == other
    named = said("", name="named")
    assert nearest([silent, named], PRODUCT, "named") == nearest([named, silent], PRODUCT, "named") == named
    assert nearest([], PRODUCT, "x") is None
