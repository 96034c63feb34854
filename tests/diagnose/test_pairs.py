import pytest
from torch import ones, tensor


def test_promotion_shows_the_three_dtypes(said):
    (finding,) = said("(x+y).sum()", x=ones(2), y=ones(2).double())
    assert (finding.code, finding.name, finding.severity) == ("AGX305", "dtype-promoted", "note")
    assert finding.sentence == "`x` is float32 and is promoted: `x+y` is float64."
    assert finding.cause == ("x    (2,)  float32", "y    (2,)  float64", "x+y  (2,)  float64")


def test_whole_numbers_are_promoted_too(said):
    (finding,) = said("(x*i).sum()", x=ones(2), i=tensor([1, 2]))
    assert finding.sentence == "`i` is int64 and is promoted: `x*i` is float32."


def test_a_class_target_is_not_promoted(said):
    assert said("F.cross_entropy(x, i)", x=ones(2, 3), i=tensor([0, 1])) == ()


@pytest.mark.parametrize("source", ["(x*x).sum()", "(x*2).sum()", "(x*(x>0)).sum()", "x[i].sum()"])
def test_one_dtype_a_number_a_mask_and_an_index_are_silent(said, source):
    assert said(source, x=ones(2), i=tensor([0, 1])) == ()


def test_a_loss_over_all_pairs_is_drawn_and_mended(said, works):
    values = {"p": ones(4, 1), "y": ones(4)}
    (finding,) = said("((p-y)**2).mean()", **values)
    assert (finding.code, finding.name, finding.severity) == ("AGX407", "silent-loss-broadcast", "warning")
    assert finding.sentence == (
        "`p` (4,1) with `y` (4,) gives (4,4): each element meets all 4 of the other, 16 pairs, "
        "and all of them go into the result."
    )
    assert finding.cause == (
        "p    (4,1)  4  1",
        "y    (4,)      4",
        "p-y  (4,4)  4  4",
        "            ^",
        "the loss and its gradients are the same with the fix, at these numbers",
    )
    assert [fix.program for fix in finding.fix] == ["((p-y[:, None])**2).mean()"]
    works(finding, **values)


def test_torchs_own_warning_is_folded_in(said):
    (finding,) = said("F.mse_loss(X@w, y)", X=ones(4, 2), w=ones(2, 1), y=ones(4))
    assert finding.code == "AGX407"
    assert finding.torch.startswith(
        "Using a target size (torch.Size([4])) that is different to the input size"
    )


@pytest.mark.parametrize(
    ("source", "p", "y"),
    [
        ("((p[:, None]-y)**2).mean()", (4,), (4,)),
        ("((p.unsqueeze(1)-y)**2).mean()", (4,), (4,)),
        ("((p.view(4, 1)-y)**2).mean()", (4,), (4,)),
        ("(p.sum(1, keepdim=True)*y).sum()", (4, 2), (4,)),
        ("((p-y)**2).mean()", (4, 1), (4, 1)),
        ("((p-y)**2).mean()", (4, 1), (3,)),
        ("((p-y)**2).mean()", (1, 1), (1,)),
    ],
)
def test_pairs_that_are_meant_or_are_none_are_silent(said, source, p, y):
    assert said(source, p=ones(p), y=ones(y)) == ()


def test_pairs_that_are_not_reduced_are_no_loss(said):
    assert [each.code for each in said("p-y", p=ones(4, 1), y=ones(4))] == ["AGX401"]


def test_the_mean_of_a_sum_over_all_pairs_is_worth_a_note(said):
    (finding,) = said("(p+y).mean()", p=tensor([[1.0], [2.0], [4.0]]), y=tensor([0.5, -1.0, 3.0]))
    assert (finding.code, finding.severity) == ("AGX407", "note")
    assert finding.cause[-1] == "their mean is that of the elements one by one, and so are the gradients"


@pytest.mark.parametrize("source", ["(p+y).sum()", "(p*y).mean()", "((p-y)**2).mean()"])
def test_what_all_pairs_change_is_worth_a_warning(said, source):
    (finding,) = said(source, p=tensor([[1.0], [2.0], [4.0]]), y=tensor([0.5, -1.0, 3.0]))
    assert (finding.code, finding.severity) == ("AGX407", "warning")
    assert any(line.startswith("the loss is ") for line in finding.cause)


@pytest.mark.parametrize(
    ("source", "mended"),
    [
        ("where(y>0, p, zeros(1)).mean()", "where((y>0)[:, None], p, zeros(1)).mean()"),
        ("where(p>1, p, y).sum()", "where(p>1, p, y[:, None]).sum()"),
        ("lerp(p, y, tensor(0.25)).square().sum()", "lerp(p, y[:, None], tensor(0.25)).square().sum()"),
    ],
)
def test_pairs_are_seen_among_three_operands_too(said, works, source, mended):
    values = {"p": tensor([[1.0], [2.0], [4.0]]), "y": tensor([0.5, -1.0, 3.0])}
    found = [each for each in said(source, **values) if each.code == "AGX407"]
    assert [fix.program for each in found for fix in each.fix] == [mended]
    works(found[0], **values)
