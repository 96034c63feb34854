"""The table of all rules: of two rows of one key the first would be dead."""

import pytest

from autograd_cli.symbolic.elementwise import ROWS
from autograd_cli.symbolic.rules import FUNCTIONS
from autograd_cli.symbolic.texts import rows, together


def test_two_rows_of_one_key_are_refused():
    assert together({"fold": 1, "pad": 2}, {"cat": 3}) == {"fold": 1, "pad": 2, "cat": 3}
    with pytest.raises(ValueError, match=r"^two rules of fold, pad$"):
        together({"fold": 1, "pad": 2}, {"pad": 3, "fold": 1})


def test_two_texts_of_one_function_are_refused():
    with pytest.raises(ValueError, match=r"^two rules of add$"):
        rows({"add(x, y)": ("1", "1")}, {"add(x, y, alpha=1)": ("1", "alpha")})


def test_no_function_has_both_a_text_and_a_rule():
    assert len(ROWS) > 100
    assert not ROWS.keys() & FUNCTIONS.keys()
