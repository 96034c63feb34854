import pytest
from torch import ones


def test_shapes_are_drawn_aligned_at_the_right_with_each_clash_marked(why):
    finding = why("a+b", a=ones(3, 5, 4), b=ones(3, 5))
    assert (finding.code, finding.name) == ("AGX302", "broadcast-shape-mismatch")
    assert (
        finding.sentence == "`a` (3,5,4) and `b` (3,5) do not broadcast: their last dimensions, 4 against 5."
    )
    assert finding.cause == (
        "a  (3,5,4)  3  5  4",
        "b  (3,5)       3  5",
        "               ^  ^",
        "dimension 2: 4 against 5",
        "dimension 1: 5 against 3",
        "aligned at the right, sizes must be equal, or one of them 1 or absent",
    )
    assert finding.torch == (
        "The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 2"
    )


@pytest.mark.parametrize(
    ("source", "a", "b", "programs"),
    [
        ("a+b", (3, 5, 4), (3, 5), ["a+b[:, :, None]"]),
        ("a-b", (3,), (3, 4), ["a[:, None]-b"]),
        ("a*(b+1)", (2, 3, 4), (2,), ["a*(b+1)[:, None, None]"]),
        ("a*b", (2, 3), (3, 2), ["a*b.T", "a.T*b"]),
        ("atan2(a, b)", (3, 4), (3,), ["atan2(a, b[:, None])"]),
        ("a+b", (3,), (4,), []),
    ],
)
def test_a_one_put_in_or_a_transpose_is_offered_where_it_fits_and_runs(why, works, source, a, b, programs):
    values = {"a": ones(a), "b": ones(b)}
    finding = why(source, **values)
    assert finding.code == "AGX302"
    assert [fix.program for fix in finding.fix] == programs
    if programs:
        works(finding, **values)


def test_a_loss_and_where_are_drawn_too(why):
    assert why("F.mse_loss(a, b)", a=ones(3), b=ones(4)).code == "AGX302"
    finding = why("where(a > 0, a, b)", a=ones(3), b=ones(4))
    assert finding.code == "AGX302"
    assert finding.cause[:3] == ("a > 0  (3,)  3", "a      (3,)  3", "b      (4,)  4")


def test_expand_says_what_was_asked_for(why):
    finding = why("x.expand(4, 3)", x=ones(2, 3))
    assert finding.sentence == (
        "`x` (2,3) cannot be expanded to (4,3): only a dimension of size 1 can be stretched."
    )
    assert finding.cause == ("x          (2,3)  2  3", "asked for  (4,3)  4  3", "                  ^")


def test_a_bias_needs_one_number_for_each_output(why):
    finding = why("F.linear(x, w, b)", x=ones(2, 3), w=ones(4, 3), b=ones(5))
    assert finding.code == "AGX302"
    assert finding.sentence == "`b` (5,) is no bias for `w` (4,3), which gives 4 outputs: it needs 4 numbers."


def test_shapes_that_broadcast_are_not_blamed(why):
    assert why("x + [1, 2]", x=ones(3)).code == "AGX344"
