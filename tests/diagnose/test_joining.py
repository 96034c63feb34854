"""Tensors and lists that do not go together, and the ways in which they do."""

import pytest
from torch import ones


@pytest.mark.parametrize(
    ("source", "a", "b", "fixed"),
    [
        ("cat([a, b]).sum()", (2, 3), (2, 4), ["cat([a, b], dim=1).sum()"]),
        ("cat([a, b], dim=0).sum()", (2, 3), (2, 4), ["cat([a, b], dim=1).sum()"]),
        ("cat([a, b], 1).sum()", (2, 3), (4, 3), ["cat([a, b], 0).sum()"]),
        ("stack([a, b]).sum()", (2, 3), (4, 3), ["cat([a, b], dim=0).sum()"]),
        ("cat([a, b]).sum()", (2, 3), (4, 5), ["cat([a.flatten(), b.flatten()]).sum()"]),
        (
            "cat([a, b]).sum()",
            (2, 3),
            (3,),
            ["cat([a, b.expand_as(a)]).sum()", "cat([a.flatten(), b]).sum()"],
        ),
    ],
)
def test_the_dimension_that_joins_them_is_offered(why, source, a, b, fixed):
    finding = why(source, a=ones(a), b=ones(b))
    assert finding.code == "AGX317"
    assert [fix.program for fix in finding.fix] == fixed
    assert all(fix.passed for fix in finding.fix)


def test_the_row_of_a_list_that_is_too_short_is_told(why):
    finding = why("tensor([[1., 2.], [3.]])")
    assert (finding.code, finding.name) == ("AGX317", "ragged-list")
    assert finding.sentence == "`[[1., 2.], [3.]]` is no table: row 1 has 1 element, row 0 has 2."
    assert why("tensor([[[1., 2.], [3., 4.]], [[5., 6.], [7.]]])").sentence.endswith(
        "row 1, 1 has 1 element, row 1, 0 has 2."
    )
