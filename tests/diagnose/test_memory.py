import pytest
from torch import ones


def test_view_of_a_transpose_shows_the_strides_and_offers_reshape(why, works):
    finding = why("x.t().view(15).sum()", x=ones(3, 5))
    assert (finding.code, finding.name) == ("AGX306", "view-on-noncontiguous")
    assert finding.sentence == (
        "`x.t()` (5,3) is not laid out in order in memory, so `view`, which never copies, "
        "cannot give it another shape."
    )
    assert finding.cause == (
        "x.t()     shape  (5,3)  strides  (1,5)",
        "in order  shape  (5,3)  strides  (3,1)",
    )
    assert [fix.program for fix in finding.fix] == [
        "x.t().reshape(15).sum()",
        "x.t().contiguous().view(15).sum()",
    ]
    works(finding, x=ones(3, 5))


@pytest.mark.parametrize(
    ("source", "sentence", "program"),
    [
        (
            "x.reshape(3,5)",
            "3 × 5 = 15 elements are asked for, but `x` (12,) has 12 elements.",
            "x.reshape(3,-1)",
        ),
        (
            "x.view((5,4))",
            "5 × 4 = 20 elements are asked for, but `x` (12,) has 12 elements.",
            "x.view((-1,4))",
        ),
        (
            "x.view(5,-1)",
            "A multiple of 5 elements is asked for, but `x` (12,) has 12 elements.",
            "x.view(4,-1)",
        ),
        ("x.view(7)", "7 elements are asked for, but `x` (12,) has 12 elements.", "x.view(12)"),
        (
            "x.unflatten(0,(5,2))",
            "5 × 2 = 10 elements are asked for, but `x` (12,) has 12 elements there.",
            "x.unflatten(0,(-1,2))",
        ),
        (
            "x.view(-1,-1)",
            "`view` is given 2 sizes of -1, and only one size can be worked out from the others.",
            "x.view(-1,1)",
        ),
    ],
)
def test_the_product_of_the_sizes_is_shown(why, works, source, sentence, program):
    finding = why(source, x=ones(12))
    assert (finding.code, finding.name, finding.sentence) == ("AGX308", "view-invalid-shape", sentence)
    assert finding.fix[0].program == program
    works(finding, x=ones(12))


def test_a_view_that_fits_and_fails_otherwise_is_not_blamed_on_its_count(why):
    assert why("x.t().view(15)", x=ones(3, 5)).also == ()


def test_a_view_of_contiguous_memory_runs(said):
    assert said("x.view(15).sum()", x=ones(3, 5)) == ()
