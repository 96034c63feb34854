from torch import eye, ones


def test_torchs_words_stand_with_the_operands(why):
    finding = why("linalg.cholesky(-A).sum()", A=eye(2))
    words = (
        "linalg.cholesky: The factorization could not be completed because the input is not "
        "positive-definite (the leading minor of order 1 is not positive-definite)."
    )
    assert (finding.code, finding.name) == ("AGX307", "torch-error")
    assert finding.sentence == f"`linalg.cholesky(-A)` cannot be evaluated; torch says: {words}"
    assert finding.torch == words
    assert finding.cause == ("-A  (2,2) float32 on cpu",)
    assert finding.span == (0, 19)


def test_pythons_words_are_not_taken_for_torchs(why):
    finding = why("range(x.sum().item() / 4)", x=ones(2))
    assert (finding.code, finding.name) == ("AGX344", "argument-type")
    assert finding.sentence.startswith("`x.sum().item() / 4` is a float; ")
