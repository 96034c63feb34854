"""Tensors: how they are made, what they are, and what is done to them."""

import pytest

from autograd_cli.explore import Options

GRID = "arange(12.).reshape(3,4)"


# Creation


@pytest.mark.parametrize(
    ("source", "value", "dtype", "shape"),
    [
        ("tensor([[1,2,3],[4,5,6]])", ((1, 2, 3), (4, 5, 6)), "int64", (2, 3)),
        ("arange(0,10,step=2)", (0, 2, 4, 6, 8), "int64", (5,)),
        ("linspace(0,1,steps=5)", (0, 0.25, 0.5, 0.75, 1), "float32", (5,)),
        ("full((2,3), fill_value=7)", ((7, 7, 7), (7, 7, 7)), "int64", (2, 3)),
        ("zeros(2,3)", ((0, 0, 0), (0, 0, 0)), "float32", (2, 3)),
        ("ones(2)", (1, 1), "float32", (2,)),
        ("eye(2)", ((1, 0), (0, 1)), "float32", (2, 2)),
        ("zeros_like(tensor([1,2]))", (0, 0), "int64", (2,)),
        ("ones_like(tensor([1.,2.]))", (1, 1), "float32", (2,)),
        ("full_like(ones(2), 7)", (7, 7), "float32", (2,)),
    ],
)
def test_creation_shows_value_dtype_and_shape(run, source, value, dtype, shape):
    output = run(source).output
    assert (output.value, output.dtype, output.shape) == (value, dtype, shape)


def test_a_permutation_holds_each_number_once(run):
    assert sorted(run("randperm(10)").output.value) == list(range(10))


@pytest.mark.parametrize(
    "source",
    [
        "rand(4)",
        "randn(4)",
        "randperm(9)",
        "randint(0, 99, (4,))",
        "rand_like(ones(4))",
        "randn_like(ones(4))",
    ],
)
def test_a_seed_makes_random_values_repeatable(run, source):
    first, again, other = (run(source, Options(seed=seed)) for seed in (1, 1, 2))
    assert first.output.value == again.output.value != other.output.value
    assert (first.seed, other.seed) == (1, 2)


# Attributes


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("randn(3,224,224).numel()", 150528),
        ("randn(3,224,224).ndim", 3),
        ("randn(3,224,224).shape", (3, 224, 224)),
        ("randn(3,224,224).dtype", "torch.float32"),
        ("randn(3,224,224).device", "cpu"),
        ("randn(3,224,224).requires_grad", False),
        ("randn(3,224,224).stride()", (50176, 224, 1)),
        ("randn(3,224,224).is_contiguous()", True),
        ("randn(3,5).t().stride()", (1, 5)),
        ("randn(3,5).t().is_contiguous()", False),
        ("x.is_leaf", True),
        ("x.requires_grad", True),
        ("(x*2).is_leaf", False),
        ("(x*2).requires_grad", True),
        ("x.grad is None", True),
        ("x.grad_fn is None", True),
        ("(x*2).grad_fn is None", False),
    ],
)
def test_an_attribute_has_the_value_that_torch_gives(run, source, value):
    report = run(source, **({"x": "2."} if "x" in source else {}))
    assert (report.output.value, report.status) == (value, 0)


# Arithmetic


@pytest.mark.parametrize(
    ("source", "function", "value", "dtype"),
    [
        ("a+b", "add(a, b)", [5, 7, 9], "int64"),
        ("a-b", "sub(a, b)", [-3, -3, -3], "int64"),
        ("a*b", "mul(a, b)", [4, 10, 18], "int64"),
        ("a/b", "div(a, b)", [0.25, 0.4, 0.5], "float32"),
        ("a**2", "pow(a, 2)", [1, 4, 9], "int64"),
        ("b//a", "b.floor_divide(a)", [4, 2, 2], "int64"),
        ("b%a", "remainder(b, a)", [0, 1, 0], "int64"),
        ("-a", "neg(a)", [-1, -2, -3], "int64"),
    ],
)
def test_operators_and_their_functions_agree(run, source, function, value, dtype):
    bound = {"a": "tensor([1,2,3])", "b": "tensor([4,5,6])"}
    output = run(source, **bound).output
    assert list(output.value) == pytest.approx(value)
    assert output.dtype == dtype
    assert run(function, **bound).output.value == output.value


# Products of matrices


@pytest.mark.parametrize(
    ("source", "shapes", "shape"),
    [
        ("a@b", ((32, 128), (128, 10)), (32, 10)),
        ("mm(a, b)", ((32, 128), (128, 10)), (32, 10)),
        ("a@b", ((16, 32, 128), (16, 128, 10)), (16, 32, 10)),
        ("matmul(a, b)", ((16, 32, 128), (16, 128, 10)), (16, 32, 10)),
        ("F.linear(a, b)", ((32, 128), (10, 128)), (32, 10)),
    ],
)
def test_a_product_has_its_shape(run, source, shapes, shape):
    a, b = (f"randn{shape}" for shape in shapes)
    assert run(source, Options(wrt=()), a=a, b=b).output.shape == shape


def test_mm_takes_two_dimensions_and_says_so(run, found, passes):
    bound = {"a": "randn(2,3,4)", "b": "randn(2,4,3)"}
    report = run("mm(a, b)", **bound)
    finding = found(report, "AGX301")
    assert finding.sentence == "`mm` takes a matrix and a matrix; `a` (2,3,4) has 3 dimensions, not 2."
    assert report.status == 1
    assert passes(finding, **bound).output.shape == (2, 3, 3)


def test_linear_adds_its_bias(run, gradient):
    bound = {"x": "[[1.,2.]]", "w": "[[3.,4.],[5.,6.],[7.,8.]]", "b": "[.5,0.,-.5]"}
    report = run("F.linear(x, w, b)", **bound)
    assert report.output.value == ((11.5, 17, 22.5),)
    assert gradient(report, "x") == ((15, 18),)
    assert gradient(report, "w") == ((1, 2), (1, 2), (1, 2))
    assert gradient(report, "b") == (1, 1, 1)


# Shapes


@pytest.mark.parametrize(
    ("source", "shape", "contiguous"),
    [
        ("randn(1,3,1,4).squeeze()", (3, 4), True),
        ("randn(1,3,1,4).squeeze(dim=2)", (1, 3, 4), True),
        ("randn(1,3,1,4).squeeze(dim=1)", (1, 3, 1, 4), True),
        ("randn(3,4).unsqueeze(1)", (3, 1, 4), True),
        ("randn(2,3,4).permute(2,0,1)", (4, 2, 3), False),
        ("randn(2,3,4).transpose(0,1)", (3, 2, 4), False),
        ("randn(3,5).T", (5, 3), False),
        ("randn(3,5).T.contiguous()", (5, 3), True),
        ("randn(3,5).T.reshape(15)", (15,), True),
        ("randn(3,4).view(2,-1)", (2, 6), True),
    ],
)
def test_a_change_of_shape(run, source, shape, contiguous):
    assert run(source).output.shape == shape
    assert run(f"{source}.is_contiguous()").output.value is contiguous


@pytest.mark.parametrize("fix", [0, 1])
def test_a_view_of_a_transpose_is_an_error_with_fixes_that_work(run, found, passes, fix):
    report = run("randn(3,5).t().view(15)")
    finding = found(report, "AGX306")
    assert report.status == 1
    assert [fix.program for fix in finding.fix] == [
        "randn(3,5).t().reshape(15)",
        "randn(3,5).t().contiguous().view(15)",
    ]
    assert passes(finding, fix).output.shape == (15,)


# Indexing


@pytest.mark.parametrize(
    ("source", "value", "gets"),
    [
        ("x[1]", (4, 5, 6, 7), {4: 1, 5: 1, 6: 1, 7: 1}),
        ("x[-1, 2]", 10, {10: 1}),
        ("x[1:, ::2]", ((4, 6), (8, 10)), {4: 1, 6: 1, 8: 1, 10: 1}),
        ("x[..., 1]", (1, 5, 9), {1: 1, 5: 1, 9: 1}),
        ("x[x>5]", (6, 7, 8, 9, 10, 11), dict.fromkeys(range(6, 12), 1)),
        ("x[tensor([0,1]), tensor([1,3])]", (1, 7), {1: 1, 7: 1}),
        ("x[tensor([0,0]), 3]", (3, 3), {3: 2}),
        ("where(x>9, x, 0).sum()", 21, {10: 1, 11: 1}),
    ],
)
def test_indexing_and_which_elements_get_a_gradient(run, gradient, flat, source, value, gets):
    report = run(source, x=GRID)
    assert report.output.value == value
    assert flat(gradient(report, "x")) == [gets.get(element, 0) for element in range(12)]


# Broadcasting


def test_broadcasting_tells_what_it_stretched(run, gradient, flat):
    report = run("a+b", a="randn(3,1,5)", b="randn(4,5)")
    assert report.output.shape == (3, 4, 5)
    assert [(s.text, s.shape, s.to) for s in report.graph.stretched] == [
        ("a", (3, 1, 5), (3, 4, 5)),
        ("b", (4, 5), (3, 4, 5)),
    ]
    assert set(flat(gradient(report, "a"))) == {4}
    assert set(flat(gradient(report, "b"))) == {3}


def test_shapes_that_do_not_broadcast_are_drawn(run, found, passes):
    bound = {"a": "randn(3,5,4)", "b": "randn(3,5)"}
    finding = found(run("a+b", **bound), "AGX302")
    assert finding.sentence == (
        "`a` (3,5,4) and `b` (3,5) do not broadcast: their last dimensions, 4 against 5."
    )
    assert finding.cause[:3] == ("a  (3,5,4)  3  5  4", "b  (3,5)       3  5", "               ^  ^")
    assert passes(finding, **bound).output.shape == (3, 5, 4)


@pytest.mark.parametrize(
    ("source", "warned"),
    [
        ("((a-b)**2).mean()", True),
        ("(a-b).abs().sum()", True),
        ("F.mse_loss(a, b)", True),
        ("a-b", False),
        ("((a-b[:,None])**2).mean()", False),
    ],
)
def test_a_column_less_a_row_is_warned_about_once_it_is_reduced(run, source, warned):
    report = run(source, a="randn(5,1)", b="randn(5)")
    assert [f.name for f in report.findings if f.code == "AGX407"] == ["silent-loss-broadcast"] * warned
