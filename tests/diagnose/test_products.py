import pytest
from torch import ones, tensor


def test_the_dimensions_that_must_meet_stand_in_one_column(why):
    finding = why("X@w", X=ones(10, 3), w=ones(1, 3))
    assert (finding.code, finding.name, finding.severity) == ("AGX301", "matmul-shape-mismatch", "error")
    assert finding.sentence == (
        "`X` (10,3) and `w` (1,3) cannot be multiplied: the last dimension of the left one is 3, "
        "the rows of the right one 1."
    )
    assert finding.cause == (
        "X  (10,3)  10  3",
        "w  (1,3)       1  3",
        "               ^",
        "3 meets 1: these two must be equal",
    )
    assert finding.torch == "mat1 and mat2 shapes cannot be multiplied (10x3 and 1x3)"
    assert [fix.program for fix in finding.fix] == ["X@w.T"]


@pytest.mark.parametrize(
    ("source", "a", "b", "programs"),
    [
        ("a@b", (10, 3), (1, 3), ["a@b.T"]),
        ("a@b", (10, 3), (10, 1), ["a.T@b"]),
        ("(a+1)@b*2", (3, 10), (3, 1), ["(a+1).T@b*2"]),
        ("a@b", (3, 2), (5, 3), ["b@a"]),
        ("a@b", (2, 3, 4), (2, 3, 5), ["a.mT@b"]),
        ("mm(a, b)", (3, 4), (2, 4), ["mm(a, b.T)"]),
        ("a.mm(b)", (3, 4), (2, 4), ["a.mm(b.T)"]),
        ("F.linear(a, b)", (2, 3), (3, 4), ["F.linear(a, b.T)"]),
        ("mm(a, b)", (2, 3, 4), (4, 5), ["matmul(a, b)"]),
        ("mv(a, b)", (2, 3), (3, 2), ["matmul(a, b)"]),
        ("bmm(a, b)", (2, 3, 4), (4, 5), ["matmul(a, b)"]),
    ],
)
def test_a_transpose_or_another_order_that_fits_is_offered_and_runs(why, works, source, a, b, programs):
    values = {"a": ones(a), "b": ones(b)}
    finding = why(source, **values)
    assert finding.code == "AGX301"
    assert [fix.program for fix in finding.fix] == programs
    works(finding, **values)


@pytest.mark.parametrize(
    ("source", "a", "b"),
    [
        ("a@b", (3,), (4,)),
        ("dot(a, b)", (3,), (4,)),
        ("dot(a, b)", (3, 3), (3,)),
        ("mv(a, b)", (3, 4), (3,)),
        ("inner(a, b)", (2, 3), (2, 4)),
        ("bmm(a, b)", (2, 3, 4), (3, 4, 4)),
        ("a@b", (2, 3, 4), (3, 4, 5)),
        ("a@b", (4, 2), (3, 5)),
    ],
)
def test_every_product_is_known_by_its_shapes(why, source, a, b):
    assert why(source, a=ones(a), b=ones(b)).code == "AGX301"


def test_batches_are_drawn_and_named(why):
    finding = why("a@b", a=ones(2, 3, 4), b=ones(3, 4, 5))
    assert finding.sentence == (
        "`a` (2,3,4) and `b` (3,4,5) cannot be multiplied: their batch sizes are 2 and 3."
    )
    assert finding.cause == (
        "a  (2,3,4)  2  3  4",
        "b  (3,4,5)  3     4  5",
        "            ^",
        "batch sizes must be equal, or one of them 1",
    )


def test_a_wrong_number_of_dimensions_is_what_is_said(why):
    finding = why("mm(a,b)", a=ones(2, 3, 4), b=ones(4, 5))
    assert finding.sentence == "`mm` takes a matrix and a matrix; `a` (2,3,4) has 3 dimensions, not 2."
    assert finding.cause == ("a  (2,3,4)  3 dimensions", "b  (4,5)    2 dimensions")


def test_a_transposed_weight_is_drawn_transposed(why):
    finding = why("F.linear(x,w)", x=ones(2, 3), w=ones(4, 2))
    assert finding.cause == (
        "x  (2,3)  2  3",
        "w  (4,2)     2  4",
        "             ^",
        "3 meets 2: these two must be equal",
        "`w` is used transposed here, and drawn so",
    )


@pytest.mark.parametrize(("source", "program"), [("a @ b", "a * b"), ("a @ 2.", "a * 2.")])
def test_a_number_scales_with_a_star(why, works, source, program):
    values = {"a": ones(3, 3), "b": tensor(2.0)}
    finding = why(source, **values)
    assert (finding.code, finding.fix[0].program) == ("AGX301", program)
    works(finding, **values)


def test_a_product_that_failed_for_another_reason_is_not_a_shape(why):
    assert why("a@b", a=ones(3, 3), b=ones(3, 3).double()).code == "AGX304"


def test_dot_of_matrices_is_offered_over_all_elements(why, works):
    finding = why("dot(a, b)", a=ones(2, 3), b=ones(2, 3))
    assert [fix.program for fix in finding.fix] == ["dot(a.flatten(), b.flatten())"]
    works(finding, a=ones(2, 3), b=ones(2, 3))
    assert why("dot(a, b)", a=ones(2, 3), b=ones(4)).fix == ()
