"""The view of an examination, from records alone."""

from dataclasses import replace

from autograd_cli.report import Concern, Examination, Slot, Verdict
from autograd_cli.views.examined import examination
from autograd_cli.views.pieces import plain_text

RIGHT = Slot("beta", 1, 2, (), Verdict.OK)
WRONG = Slot(
    "x", 0, 1, (3, 4), Verdict.WRONG, 11, (1, 3), 0.838026, 0.937069, 1.028772, 2e-10,
    "my_ops.py:8, Swish.backward, its 1st return value", ("no pattern", "a factor beta is lost"),
)  # fmt: skip


def lines(*slots, concerns=(), **parts):
    made = Examination("Swish", "swish(x, beta)", "my_ops.py:3", slots, concerns, **parts)
    return [" " * piece.indent + plain_text(piece.words) for piece in examination(made)]


def test_a_wrong_input_has_its_worst_element_its_place_and_its_patterns():
    assert lines(WRONG, RIGHT, next="agx gradcheck … --order 2") == [
        "Swish in swish(x, beta)   my_ops.py:3",
        " d/dx     WRONG  11 of 12 elements",
        " d/dbeta  OK     1 element",
        "  where    my_ops.py:8, Swish.backward, its 1st return value",
        "  pattern  no pattern",
        "           a factor beta is lost",
        "  worst    x[1,3] = 0.838026   backward 0.937069   numeric 1.028772 ± 2e-10",
        "  next     agx gradcheck … --order 2",
    ]


def test_what_makes_gradients_wrong_stands_before_what_else_is_to_be_said():
    said = (Concern("wrong-count", "one is due", "my_ops.py:9", True), Concern("saves", "saves `s`"))
    assert lines(concerns=said) == [
        "Swish in swish(x, beta)   my_ops.py:3",
        "  cause    one is due   my_ops.py:9",
        "  also     saves `s`",
    ]


def test_a_wrong_second_order_of_what_is_right_is_a_warning_with_its_evidence():
    sentence = "autograd gives 1, differences of backward 2"
    wrong = {"second": Verdict.WRONG, "second_sentence": sentence}
    assert lines(RIGHT, **wrong)[-1] == f"  warning  the second derivative differs: {sentence}"
    kept = (
        Concern("saves-intermediate", "saves `s`: second order will be wrong"),
        Concern("keeps-on-ctx", "keeps y"),
    )
    assert lines(RIGHT, concerns=kept, **wrong)[-3:] == [
        "  warning  saves `s`: second order will be wrong",
        f"           the second derivative differs: {sentence}",
        "  also     keeps y",
    ]


def test_beside_a_wrong_gradient_a_wrong_second_order_is_told_once():
    sentence = "autograd gives 1, differences of backward 2"
    wrong = {"second": Verdict.WRONG, "second_sentence": sentence}
    assert lines(WRONG, **wrong)[-1] == f"  also     second order is wrong: {sentence}"
    kept = (Concern("saves-intermediate", "saves `s`: second order will be wrong"),)
    assert lines(WRONG, concerns=kept, **wrong)[-1] == "  also     saves `s`: second order will be wrong"


def test_where_differences_were_along_directions_the_sentence_stands_for_numbers():
    slot = Slot("x", 0, 1, (5000,), Verdict.WRONG, place="my_ops.py:8", sentence="autograd gives 1")
    assert lines(slot)[1:4] == [
        " d/dx  WRONG  5,000 elements",
        "  where    my_ops.py:8",
        "  worst    autograd gives 1",
    ]


def test_a_none_is_no_zero_and_no_error_bar_stands_beside_what_is_not_finite():
    (made,) = lines(replace(WRONG, patterns=(), place="", is_none=True, backward=0.0))[-1:]
    assert "backward None, which counts as 0" in made
    (made,) = lines(replace(WRONG, patterns=(), place="", numeric=float("nan")))[-1:]
    assert made.endswith("numeric nan")


def test_what_it_took_for_an_error_to_show_stands_in_its_row():
    assert lines(replace(WRONG, only="values"))[1].endswith(
        "WRONG  11 of 12 elements at values drawn nearby; at the given ones the error does not show"
    )
    assert "with a drawn grad_output" in lines(replace(WRONG, only="cotangent"))[1]


def test_what_a_person_wrote_cannot_act_on_a_terminal():
    made = "\n".join(lines(concerns=(Concern("saves", "saves \x1b[31m", "a\x07.py:1"),)))
    assert "\x1b" not in made
    assert "\x07" not in made
