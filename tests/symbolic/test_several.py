"""Functions of several results: the rule of each result, and what all of them pass together."""

import pytest
import torch

M, ROW = (3, 4), (4,)

CASES = [
    ("x.max(0).values*y", M, ROW), ("x.max(1)[0].sum()", M), ("max(x, 1, keepdim=True).values*y", M, (3, 1)),
    ("x.min(-1).values*y", M, (3,)), ("min(x, dim=0, keepdim=True)[0]/y", M, (1, 4)), ("x.max(0)[0]", ROW),
    ("x.max(0).values*y", (), ()), ("median(x, 1).values*y", M, (3,)), ("x.nanmedian(0).values*y", M, ROW),
    ("kthvalue(x, 2, 1)[0]*y", M, (3,)), ("median(x)*y", M, ()), ("x.nanmedian()", M),
    ("x.kthvalue(1).values", M), ("mode(x.round(), 1)[0]", M),
    ("mode(x, 1)[0]*y", M, (3,)), ("x.max(1).values.max()", M), ("x.max(2).values*y", (2, 3, 4), (2, 3)),
    ("x.max(0).values*y", (2, 3, 4), (4,)), ("x.max(1).values/y", (2, 3, 4), ()),
    ("sort(x)[0]*y", M, ROW), ("x.sort(0, descending=True).values*y", M, M), ("sort(x).values.sum()", M),
    ("x.sort(stable=True)[0]*y", ROW, ROW), ("sort(x, 0)[0]*y", (), ()), ("msort(x)*y", M, M),
    ("x.topk(2).values*y", M, (2,)), ("topk(x, 2, 0)[0]*y", M, (2, 4)), ("topk(x, 2, largest=False)[0]", M),
    ("x.topk(2).values.sum()", M), ("x.cummax(1)[0]*y", M, M), ("cummin(x, 0).values", M),
    ("cummax(x, 0)[0]*y", (), ()), ("x.unbind()[1]*y", M, ROW), ("x.unbind(1)[0]*y", M, (3,)),
    ("x.unbind(1)[-1]*x.unbind(1)[0]", M), ("x.unbind()[0]*x.unbind()[1]", (2, 3)),
    ("x.split(2)[0]*y", M, (2, 4)), ("split(x, 3, 1)[1]*y", M, (3, 1)),
    ("x.split((1, 3), 1)[1]*y", M, (3, 3)),
    ("x.chunk(2, 1)[1]*y", M, (3, 2)), ("chunk(x, 2)[0]", M), ("x.tensor_split(3, 1)[0]*y", M, (3, 2)),
    ("tensor_split(x, (1, 3), 1)[1]*y", M, (3, 2)), ("x.tensor_split((-1,))[0]", M), ("x.hsplit(2)[1]", M),
    ("x.vsplit(3)[1]", M), ("x.hsplit([1])[1]*y", ROW, (3,)), ("x.dsplit(2)[1]", (2, 3, 4)),
    ("unsafe_split(x, 2)[1]*y", M, (1, 4)), ("cat(x.chunk(2, 1))*y", M, (6, 2)),
    ("stack(x.unbind(1))*y", M, M[::-1]),
    ("cat(x.split(2)).sin()", M), ("stack(x.unbind()).sum(0)*y", M, ROW), ("sin(cat(x.tensor_split(2)))", M),
    ("torch.var_mean(x)[0]", M), ("torch.var_mean(x, 1)[1]*y", M, (3,)),
    ("torch.std_mean(x, 0, keepdim=True)[0]*y", M, ROW), ("std_mean(x, 1, False)[0]*y", M, (3,)),
    ("var_mean(x, False)[1]", M), ("aminmax(x)[0]", M), ("aminmax(x, dim=1).max*y", M, (3,)),
    ("broadcast_tensors(x, y)[0]*y", M, ROW), ("broadcast_tensors(x, y)[1]**2", M, ROW),
    ("meshgrid(x, y, indexing='ij')[0]*y", (3,), ROW), ("meshgrid(x, y, indexing='xy')[1]*x", (3,), ROW),
    ("stack(meshgrid(x, y, indexing='ij')).sin()", (3,), ROW), ("stack(broadcast_tensors(x, y))**2", M, ROW),
    ("x.unbind()[-1]**2*x.unbind()[0]", (2, 3)), ("x.chunk(2)[-1]*y*x.chunk(2)[0]", (4,), ()),
    ("x.chunk(2)[-1]*x.chunk(2)[1]*x.chunk(2)[0]", (4,)), ("x.max(0)[-2]*y", (3, 4), (4,)),
    ("x[0]*x[1]*x[-1]", (3,)), ("x[0]*x[2]", (3,)), ("x[0]*y + x[0].sin() + x", M, ROW),
    ("x[0][1]*x[0][0]", M),
    ("(x[0] + x[1]).sum()", (2, 3)), ("x[0]*2 + x[1]*3", (2,)), ("x[0]**2/x[0]", (1,)),
    ("x[-1]*y", (2, 1), (3,)), ("linalg.lstsq(x, y)[-4]**2", M, (3, 2)), ("linalg.svd(x, False)[-2]**2", M),
    ("linalg.eigh(x @ x.mT)[-2]**2", M), ("linalg.qr(x)[-1]**2", M[::-1]), ("aminmax(x)[-1]*y", M, ()),
    ("linalg.lu(x @ x.mT)[-1]**2", M), ("linalg.slogdet(x @ x.mT)[-1]*y", M, ()),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(map(str, case)))
def test_each_result_agrees_with_autograd(derive, case):
    source, *shapes = case
    torch.manual_seed(1)
    values = {name: torch.randn(shape) for name, shape in zip("xy", shapes, strict=False)}
    for name, found in derive(source, **values).items():
        assert found.agrees, (name, found.text, found.derivative.reason, found.value, found.gradient)


GOLDEN = [
    ("x.max(0).values.sum()", "zeros_like(x).scatter(0, x.max(0).indices.unsqueeze(0), 1)"),
    ("sort(x).values.sum()", "ones_like(x)"),
    ("x.topk(1).values.sum()", "zeros_like(x).scatter(-1, x.topk(1).indices, 1)"),
    ("(x[0]*x[1]).sum()", "stack((x[1], x[0]))"),
    ("x[0].sum() + x[1].sum()", "ones_like(x)"),
    ("sin(x.chunk(2, 1)[1]).sum()", "zeros_like(x).slice_scatter(cos(x.chunk(2, 1)[1]), 1, 2, 3)"),
]


@pytest.mark.parametrize(("source", "text"), GOLDEN)
def test_formulas(derive, source, text):
    found = derive(source, x=[[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])["x"]
    assert found.text == text
    assert found.agrees


def test_the_valley_of_rosenbrock_has_its_gradient_as_a_vector(derive):
    found = derive("(1 - x[0])**2 + 100*(x[1] - x[0]**2)**2", x=[1.5, 2.0])["x"]
    assert found.text == "stack((-2*(1 - x[0]) - 400*x[0]*(x[1] - x[0]**2), 200*(x[1] - x[0]**2)))"
    assert found.agrees


def test_an_infinite_cotangent_stays_at_its_element(derive):
    for source in "x.max(0).values/y", "x.cummax(0).values.sum()/y", "x[0]/y", "x.unbind()[1]/y":
        found = derive(source, x=[1.0, 3.0, 2.0], y=0.0)["x"]
        assert found.agrees, (source, found.text, found.value, found.gradient)


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("a, b = x\na**2*b", "stack((2*x[0]*x[1], x[0]**2))"),
        ("a, b = x.unbind(0)\n(a*b).sum()", "stack((x[1], x[0]))"),
        ("v, i = x.sort(0)\nv*x", "x.sort(0)[0] + zeros_like(x).scatter(0, x.sort(0).indices, x)"),
        ("a, b = x.split(1)\n(a*b).sum()", "cat((x.split(1)[1], x.split(1)[0]))"),
    ],
)  # fmt: skip
def test_results_that_a_program_gives_names(derive, program, text):
    found = derive(program, x=[3.0, 4.0])["x"]
    assert found.text == text
    assert found.agrees
