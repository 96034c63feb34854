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


ROUNDS = """import torch
scores = torch.tensor([0.5, 1.5, 2.5])
total = 0
for step in range(2):
    for at in range(3):
        total = total + (scores[at + 1] - scores[at]) * step
"""


def test_an_index_of_a_loop_is_told_with_its_round_and_the_range_that_fits(why_it_failed):
    (finding,) = why_it_failed(ROUNDS)
    assert finding.cause[-1] == "`at` is 2 in round 3 of line 5"
    assert [(fix.text, fix.passed) for fix in finding.fix] == [
        ("line 5:  for at in range(2):, the indices that there are", True)
    ]


def test_one_index_of_several_is_told_with_its_own_loop(why_it_failed):
    source = (
        "import torch\nm = torch.eye(2)\nfor r in range(1, 3):\n    for c in range(2):\n        m[r, c]\n"
    )
    (finding,) = why_it_failed(source)
    assert finding.cause[-1] == "`r` is 2 in round 2 of line 3"
    assert finding.fix[0].text == "line 3:  for r in range(1, 2):, the indices that there are"


def test_a_dimension_is_offered_by_one_number_alone(why_it_failed):
    (finding,) = why_it_failed("import torch\nx = torch.ones(4, 4)\ny = x.mean(dim=2) + x.mean(0)\n")
    assert [fix.text.rpartition(", ")[2] for fix in finding.fix] == [
        "`dim` 1 in place of `2`",
        "`dim` 0 in place of `2`",
    ]


def test_a_mask_of_another_length_is_not_made_an_index(why_it_failed):
    source = "import torch\nx = torch.ones(5)\nkeep = torch.tensor([True, False, True, True])\nx[keep]\n"
    (finding,) = why_it_failed(source)
    assert not any("int64" in fix.text or ".long()" in fix.program for fix in finding.fix)


@pytest.mark.parametrize(
    ("index", "words"),
    [("[1, 0, 2]", "c[1, 0], without `2`"), ("[0, 1, 1:, 0]", "c[0, 1], without `1:, 0`")],
)
def test_indices_without_a_dimension_are_left_out(why_it_failed, index, words):
    (finding,) = why_it_failed(f"import torch\nc = torch.eye(2)\nc{index}\n")
    assert [(fix.text, fix.passed) for fix in finding.fix] == [(f"line 3:  {words}", True)]
