import pytest
from torch import ones, tensor


@pytest.mark.parametrize("source", ["x.sum().item()", "x.tolist()", "x.cpu()", "x[x > 0]"])
def test_a_meta_tensor_has_no_values(why, source):
    finding = why(source, x=ones(3, device="meta"))
    assert (finding.code, finding.name) == ("AGX310", "meta-tensor-no-data")


def test_what_is_on_the_meta_device_is_named(why):
    assert why("x.sum().item()", x=ones(3, device="meta")).sentence == (
        "`x.sum()` is on the meta device: it has the shape () and no values."
    )


@pytest.mark.parametrize(
    ("source", "name", "program"),
    [
        ("x if x>0 else -x", "tensor-as-bool", "where(x>0, x, -x)"),
        ("x>0 and x<2", "tensor-as-bool", "(x>0) & (x<2)"),
        ("x>0 or x<-2 or x==0", "tensor-as-bool", "(x>0) | (x<-2) | (x==0)"),
        ("0<x<1", "tensor-as-bool", "(0 < x) & (x < 1)"),
        ("not x", "tensor-as-bool", "not x.all()"),
        ("math.sqrt(x)", "tensor-as-number", "sqrt(x)"),
        ("x.item()", "tensor-as-number", "x.sum().item()"),
        ("float(x)", "tensor-as-number", "float(x.sum())"),
    ],
)
def test_several_elements_are_no_single_answer(why, works, source, name, program):
    finding = why(source, x=ones(3))
    assert (finding.code, finding.name) == ("AGX315", name)
    assert finding.fix[0].program == program
    works(finding, x=ones(3))


def test_how_many_elements_there_are_is_said(why):
    finding = why("x if x>0 else -x", x=ones(3))
    assert finding.sentence == "`x>0` (3,) has 3 elements, and one truth value is needed here."


@pytest.mark.parametrize(
    ("source", "program"),
    [
        ("tensor([1,2], requires_grad=True)", "tensor([1,2], requires_grad=True, dtype=float32)"),
        ("ones(3, dtype=int64, requires_grad=True)", "ones(3, dtype=float32, requires_grad=True)"),
    ],
)
def test_whole_numbers_have_no_gradient(why, source, program):
    finding = why(source)
    assert (finding.code, finding.name) == ("AGX404", "integer-requires-grad")
    assert finding.torch == "Only Tensors of floating point and complex dtype can require gradients"
    assert finding.fix[0].program == program


@pytest.mark.parametrize(
    ("source", "programs"),
    [
        ("x*sqrt(2)", ["x*math.sqrt(2)", "x*sqrt(tensor(2.))"]),
        ("x*relu(2.5)", ["x*relu(tensor(2.5))"]),
        ("x*sum([1.,2.])*sin([1.,2.])", ["x*sum([1.,2.])*sin(tensor([1.,2.]))"]),
    ],
)
def test_a_number_where_a_tensor_is_wanted(why, works, source, programs):
    finding = why(source, x=tensor(1.0))
    assert (finding.code, finding.name) == ("AGX318", "number-not-tensor")
    assert [fix.program for fix in finding.fix] == programs
    works(finding, x=tensor(1.0))


def test_a_target_of_another_shape_takes_that_of_the_prediction(why, works):
    values = {"p": ones(3, 1), "y": ones(3)}
    finding = why("F.binary_cross_entropy(p, y)", **values)
    assert (finding.code, finding.name) == ("AGX316", "bce-target-size-mismatch")
    assert finding.sentence == (
        "`p` (3,1) and its target `y` (3,) do not go together in `binary_cross_entropy`."
    )
    assert finding.fix[0].program == "F.binary_cross_entropy(p, y.view_as(p))"
    works(finding, **values)


@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 5)])
def test_class_numbers_in_a_column_lose_its_dimension(why, works, shape):
    values = {"s": ones(*shape), "t": ones(4, 1, *shape[2:]).long()}
    finding = why("F.cross_entropy(s, t)", **values)
    assert (finding.code, finding.name) == ("AGX333", "cross-entropy-target-shape")
    assert finding.fix[0].program == "F.cross_entropy(s, t.squeeze(1))"
    works(finding, **values)


def test_a_batch_of_another_size_has_no_repair(why):
    finding = why("F.cross_entropy(s, t)", s=ones(2, 3), t=tensor([0, 1, 2]))
    assert (finding.code, finding.name, finding.fix) == ("AGX316", "batch-size-mismatch", ())


@pytest.mark.parametrize(
    ("source", "a", "b", "marks"),
    [("cat([a,b])", (3, 4), (3, 5), "             ^"), ("stack([a,b])", (3,), (4,), "         ^")],
)
def test_tensors_that_are_joined_are_drawn(why, source, a, b, marks):
    finding = why(source, a=ones(a), b=ones(b))
    assert (finding.code, finding.name) == ("AGX317", "joined-size-mismatch")
    assert finding.cause[-1] == marks


def test_one_element_is_a_truth_value_and_a_number(said):
    assert said("(x if x > 0 else -x) * 2", x=tensor([1.0])) == ()


def test_a_number_is_made_of_several_elements(why):
    finding = why("(x * 2).item()", x=ones(3))
    assert [fix.program for fix in finding.fix] == ["(x * 2).sum().item()", "(x * 2).tolist()"]
    assert all(fix.passed for fix in finding.fix)


def test_a_tensor_that_the_source_puts_on_the_meta_device_is_put_on_the_cpu(why_it_failed):
    (finding,) = why_it_failed("import torch\nw = torch.zeros(2, device='meta')\nprint(w.mean().item())\n")
    assert [(fix.text, fix.passed) for fix in finding.fix] == [
        ("line 2:  w = torch.zeros(2, device='cpu'), where values are; prints 0.0", True)
    ]
