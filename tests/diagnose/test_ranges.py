"""Losses that are given numbers outside of what they take."""

from torch import tensor


def test_what_is_no_probability_is_told_with_a_sigmoid(why, works):
    values = {"p": tensor([0.2, 1.3]), "t": tensor([0.0, 1.0])}
    finding = why("F.binary_cross_entropy(p, t)", **values)
    assert (finding.code, finding.name) == ("AGX324", "not-a-probability")
    assert finding.sentence == (
        "`p` (2,) holds 1.3; `binary_cross_entropy` takes probabilities, from 0 to 1."
    )
    assert [fix.program for fix in finding.fix] == [
        "F.binary_cross_entropy(sigmoid(p), t)",
        "F.binary_cross_entropy_with_logits(p, t)",
    ]
    works(finding, **values)


def test_probabilities_are_silent(said):
    assert said("F.binary_cross_entropy(p, t)", p=tensor([0.2, 0.3]), t=tensor([0.0, 1.0])) == ()
