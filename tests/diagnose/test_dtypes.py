import pytest
import torch
from torch import ones, tensor


def test_the_dtypes_of_a_product_are_named_with_a_conversion(why, works):
    values = {"x": ones(3, 3), "w": ones(3, 3).double()}
    finding = why("x@w", **values)
    assert (finding.code, finding.name) == ("AGX304", "dtype-mismatch-double-float")
    assert finding.sentence == "`x` is float32 and `w` is float64: `@` does not convert one to the other."
    assert finding.cause == ("x  (3,3)  float32", "w  (3,3)  float64", "          ^^^^^^^")
    assert finding.torch == "expected m1 and m2 to have the same dtype, but got: float != double"
    assert finding.fix[0].program == "x@w.to(x.dtype)"
    works(finding, **values)


@pytest.mark.parametrize(
    ("source", "x", "w", "name", "program"),
    [
        ("x@w", ones(3, 3).half(), ones(3), "dtype-mismatch-half-float", "x.to(w.dtype)@w"),
        ("dot(x,w)", ones(3), ones(3).double(), "dtype-mismatch-double-float", "dot(x,w.to(x.dtype))"),
        ("bmm(x,w)", ones(2, 3, 3), ones(2, 3, 3).double(), "dtype-mismatch-double-float", None),
        ("F.linear(x,w)", ones(2, 3).double(), ones(4, 3), "dtype-mismatch-double-float", None),
        ("F.conv1d(x,w)", ones(1, 1, 5), ones(1, 1, 3).double(), "dtype-mismatch-double-float", None),
        ("x@w", ones(2, 2), tensor([[1, 2], [3, 4]]), "dtype-mismatch", "x@w.to(x.dtype)"),
        ("(x+1)@w", ones(2, 2), ones(2, 2).bfloat16(), "dtype-mismatch-half-float", "(x+1)@w.float()"),
    ],
)
def test_every_refusal_has_its_name_and_a_repair_that_runs(why, works, source, x, w, name, program):
    finding = why(source, x=x, w=w)
    assert (finding.code, finding.name) == ("AGX304", name)
    if program is not None:
        assert finding.fix[0].program == program
    works(finding, x=x, w=w)


@pytest.mark.parametrize(
    ("source", "i", "program"),
    [
        ("softmax(i, 0)", [1, 2], "softmax(i.float(), 0)"),
        ("i.mean()", [1, 2], "i.float().mean()"),
        ("i.norm()", [1, 2], "i.float().norm()"),
        ("i.std()", [1, 2], "i.float().std()"),
        ("i - i", [True, False], "i.float() - i.float()"),
    ],
)
def test_a_dtype_that_a_function_lacks_is_named(why, works, source, i, program):
    finding = why(source, i=tensor(i))
    assert (finding.code, finding.fix[0].program) == ("AGX314", program)
    works(finding, i=tensor(i))


def test_a_caret_between_floats_is_taken_for_a_power(why, works):
    finding = why("x^2", x=ones(3))
    assert finding.sentence == "`x` is float32, which `^` does not take."
    assert finding.fix[0].program == "x**2"
    works(finding, x=ones(3))


@pytest.mark.parametrize(
    ("source", "i", "program"),
    [
        ("x[i].sum()", [0.0, 1.0], "x[i.long()].sum()"),
        ("gather(x, 0, i).sum()", [0.0], "gather(x, 0, i.long()).sum()"),
        ("index_select(x, 0, i).sum()", [1.0], "index_select(x, 0, i.long()).sum()"),
    ],
)
def test_a_floating_index_is_made_whole(why, works, source, i, program):
    values = {"x": ones(3), "i": tensor(i)}
    finding = why(source, **values)
    assert (finding.code, finding.name, finding.fix[0].program) == ("AGX313", "index-dtype", program)
    works(finding, **values)


def test_a_number_that_is_no_index(why):
    finding = why("x[1.5]", x=ones(3))
    assert finding.code == "AGX313"
    assert finding.sentence == "`1.5` is no index: an index is a whole number, a slice or a mask."


def test_a_floating_class_target_is_made_whole(why, works):
    values = {"s": ones(2, 3), "t": ones(2)}
    finding = why("F.cross_entropy(s, t)", **values)
    assert (finding.code, finding.name) == ("AGX313", "cross-entropy-target-dtype")
    assert finding.sentence == "`t` is float32; a class target is a whole number, int64."
    works(finding, **values)


def test_whole_numbers_that_index_are_no_mismatch(why):
    finding = why("F.embedding(i, w)", i=tensor([7]), w=ones(3, 2))
    assert finding.code == "AGX309"
    assert finding.also == ()


def test_elementwise_operands_of_two_dtypes_run(said):
    assert {f.code for f in said("(x+y).sum()", x=ones(2), y=ones(2, dtype=torch.float64))} == {"AGX305"}


@pytest.mark.parametrize("loss", ["binary_cross_entropy", "binary_cross_entropy_with_logits"])
def test_a_whole_target_of_a_loss_that_compares_is_that(why_it_failed, loss):
    source = (
        "import torch\nimport torch.nn.functional as F\nq = torch.tensor([0.25, 0.75], requires_grad=True)\n"
        f"labels = torch.tensor([1, 0])\nloss = F.{loss}(q, labels)\n"
    )
    (finding,) = why_it_failed(source)
    assert (finding.code, finding.name, finding.line) == ("AGX334", "bce-target-dtype", 5)
    assert finding.sentence == f"`labels` is int64; `{loss}` compares it with `q`, which is float32."
    assert finding.fix[0].text == f"line 5:  loss = F.{loss}(q, labels.to(q.dtype)), `labels` as float32"
    assert finding.fix[0].passed


def test_a_write_is_called_as_it_is_written(why_it_failed):
    (finding,) = why_it_failed("import torch\ncount = torch.tensor([4, 5])\ncount *= 1.5\n")
    assert "the result of `*=` is floating" in finding.sentence
