import pytest
from torch import ones, tensor


def test_an_index_beyond_the_end_names_the_range(why):
    finding = why("x[0, 7]", x=ones(3, 4))
    assert (finding.code, finding.name) == ("AGX309", "index-out-of-range")
    assert finding.sentence == (
        "`x` (3,4) has size 4 in dimension 1: its indices are 0 to 3, or -4 to -1, and 7 is outside."
    )
    assert finding.cause == ("x  (3,4)  3  4", "             ^")
    assert finding.torch == "index 7 is out of bounds for dimension 1 with size 4"


@pytest.mark.parametrize(
    "source",
    ["x[5]", "x[tensor([0,5])]", "x.select(0, 5)", "gather(x, 0, tensor([5]))", "take(x, tensor([5]))",
     "index_select(x, 0, tensor([5]))", "x.narrow(0, 2, 4)"],
)  # fmt: skip
def test_every_way_to_index_is_known(why, source):
    assert why(source, x=ones(3)).code == "AGX309"


def test_too_many_indices_are_counted(why):
    finding = why("x[0, None, 1]", x=ones(3))
    assert finding.sentence == "`x` (3,) has 1 dimension; 2 indices are given."


def test_a_label_that_is_no_class_is_shown(why):
    finding = why("F.cross_entropy(s, t)", s=ones(2, 3), t=tensor([0, 5]))
    assert (finding.code, finding.name) == ("AGX309", "label-out-of-range")
    assert finding.sentence == "`s` (2,3) has 3 classes, 0 to 2; `t` holds 5."


def test_a_row_that_an_embedding_has_not_is_shown(why):
    finding = why("F.embedding(i, w)", i=tensor([1, 7]), w=ones(3, 2))
    assert (finding.code, finding.name) == ("AGX309", "embedding-index-out-of-range")
    assert finding.sentence == "`w` (3,2) has the indices 0 to 2; `i` holds 7."


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("x.sum(1)", "`x` (3,) has 1 dimension: `sum` takes -1 to 0, not 1."),
        ("softmax(x, 2)", "`x` (3,) has 1 dimension: `softmax` takes -1 to 0, not 2."),
        ("x.unsqueeze(4)", "`x` (3,) has 1 dimension: `unsqueeze` takes -2 to 1, not 4."),
        ("x.transpose(0, 1)", "`x` (3,) has 1 dimension: `transpose` takes -1 to 0, not 1."),
        ("x.permute(0, 1)", "`x` (3,) has 1 dimension; `permute` is given an order of 2."),
        ("linalg.inv(x)", "`x` (3,) has 1 dimension; `inv` needs at least 2."),
        ("ones(2,3,4).t()", "`ones(2,3,4)` (2,3,4) has 3 dimensions; `t` takes at most 2."),
    ],
)
def test_a_dimension_that_is_not_there(why, source, sentence):
    finding = why(source, x=ones(3))
    assert (finding.code, finding.name, finding.sentence) == ("AGX311", "dim-out-of-range", sentence)


def test_dimensions_are_numbered_under_the_sizes(why):
    assert why("x.sum(2)", x=ones(10, 3)).cause == ("x  (10,3)  10  3", "   dim     0   1")


def test_an_index_and_a_dimension_inside_are_silent(said):
    assert said("x[2] + x.sum(0)", x=ones(3)) == ()


@pytest.mark.parametrize(
    ("labels", "fixed"),
    [
        ([1, 2, 3], "F.cross_entropy(x, i - 1)"),
        ([0, -1, 2], "F.cross_entropy(x, i, ignore_index=-1)"),
        ([0, 3, 1], ""),
    ],
)
def test_labels_that_are_no_classes_are_mended_where_it_is_plain(why, labels, fixed):
    finding = why("F.cross_entropy(x, i)", x=ones(3, 3), i=tensor(labels))
    assert (finding.name, finding.fix[0].program) == ("label-out-of-range", fixed)
    assert finding.fix[0].passed is (True if fixed else None)
