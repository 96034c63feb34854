"""Errors of every kind that the table of functions gives: told in the program's names, with what works."""

import pytest
import torch

X = torch.tensor([[1.5, -0.3, 0.7], [0.2, 2.5, -1.1]])

KINDS = [
    (
        "x.sum(dim='a')",
        "AGX344",
        "`'a'` is a text; `dim` of `sum` is a whole number, which dimension.",
        "x.sum(dim=0)",
    ),
    (
        "zeros(3, 1.5)",
        "AGX344",
        "`1.5` is a float; `size` of `zeros` is whole numbers, the sizes.",
        "zeros(3, 1)",
    ),
    ("x.pow('2')", "AGX344", "`'2'` is a text; `exponent` of `pow` is a tensor.", "x.pow(2)"),
    ("F.mse_loss(x, 'a')", "AGX344", "`'a'` is a text; `target` of `mse_loss` is a tensor.", None),
    ("randn('a')", "AGX344", "`'a'` is a text; `size` of `randn` is whole numbers, the sizes.", "randn(1)"),
    (
        "x.tolist() + x",
        "AGX344",
        "`x.tolist()` is a list; `+` takes tensors and numbers.",
        "torch.tensor(x.tolist()) + x",
    ),
    ("normal(0., -1.)", "AGX344", "`normal` has no form that takes a float and a float like these.", None),
    (
        "x.transpose(0, 1.)",
        "AGX344",
        "`1.` is a float; `dim1` of `transpose` is a whole number, which",
        "x.transpose(0, 1)",
    ),
    ("x > 'a'", "AGX344", "`'a'` is a text; `>` takes tensors and numbers.", "x > 1."),
    (
        "tensor([1., None])",
        "AGX344",
        "`None` is no value; `data` of `tensor` is a number.",
        "tensor([1., 1.])",
    ),
    (
        "x.sort(descending='a')",
        "AGX344",
        "`'a'` is a text; `descending` of `sort` is True or False.",
        "x.sort(descending=True)",
    ),
    (
        "F.dropout(x, 1.5)",
        "AGX345",
        "`dropout` does not take `p` 1.5.",
        "F.dropout(x, 1)",
    ),
    (
        "quantile(x, 5.)",
        "AGX345",
        "`quantile` does not take `q` 5.",
        "quantile(x, 1)",
    ),
    ("topk(x, 9)", "AGX345", "`topk` does not take `k` 9.", "topk(x, 3)"),
    (
        "linspace(0, 1, -3)",
        "AGX345",
        "`linspace` does not take `steps` -3.",
        "linspace(0, 1, 0)",
    ),
    (
        "F.max_pool2d(x[None], 5)",
        "AGX345",
        "`max_pool2d` does not take `kernel_size` 5.",
        "F.max_pool2d(x[None], 2)",
    ),
    ("x.chunk(0)", "AGX345", "`chunk` does not take `chunks` 0.", "x.chunk(1)"),
    ("F.pad(x, (1,))", "AGX345", "`pad` does not take `pad` 1.", None),
    ("math.sqrt(-1.)", "AGX345", "`sqrt` does not take `x` -1.", "math.sqrt(0)"),
    (
        "torch.arange(0, 5, -1)",
        "AGX345",
        "`arange` does not take `step` -1.",
        "torch.arange(0, 5, 0.5)",
    ),
    (
        "F.conv2d(x, randn(1, 1, 2, 2))",
        "AGX346",
        "`conv2d` does not take `x` (2,3) and `randn(1, 1, 2, 2)`",
        "F.conv2d(x[None], randn(1, 1, 2, 2))",
    ),
    (
        "F.conv2d(randn(1, 3, 8, 8), randn(4, 2, 3, 3))",
        "AGX327",
        "`randn(1, 3, 8, 8)` (1,3,8,8) has 3 channels, and `randn(4, 2, 3,",
        "F.conv2d(randn(1, 3, 8, 8), randn(4, 3, 3, 3))",
    ),
    (
        "F.batch_norm(randn(1, 3), None, None, training=True)",
        "AGX332",
        "`randn(1, 3)` (1,3) has one value for each channel: training",
        "F.batch_norm(randn(1, 3).T, None, None, training=True)",
    ),
    ("linalg.inv(x)", "AGX346", "`inv` does not take `x` (2,3).", None),
    (
        "cdist(x, ones(2, 4))",
        "AGX346",
        "`cdist` does not take `x` (2,3) and `ones(2, 4)` (2,4).",
        "cdist(x, ones(2, 3))",
    ),
    (
        "einsum('ij,jk->ik', x, x)",
        "AGX346",
        "`einsum` does not take `x` (2,3) and `x` (2,3).",
        "einsum('ij,jk->ik', x.T, x)",
    ),
    (
        "x.split([1, 5], 1)",
        "AGX346",
        "`split` does not take `x` (2,3).",
        "x.split([1, 2], 1)",
    ),
    (
        "x.repeat(2)",
        "AGX346",
        "`repeat` does not take `x` (2,3).",
        "x.flatten().repeat(2)",
    ),
    (
        "outer(x, x)",
        "AGX346",
        "`outer` does not take `x` (2,3) and `x` (2,3).",
        "outer(x.flatten(), x.flatten())",
    ),
    (
        "F.layer_norm(x, (5,))",
        "AGX346",
        "`layer_norm` does not take `x` (2,3).",
        "F.layer_norm(x, (3,))",
    ),
    (
        "x.masked_fill(x, 0.)",
        "AGX314",
        "`x` is float32; what `masked_fill` chooses by is made of truth",
        "x.masked_fill(x.bool(), 0.)",
    ),
    (
        "where(x, 1., 2.)",
        "AGX314",
        "`x` is float32; what `where` chooses by is made of truth values,",
        "where(x.bool(), 1., 2.)",
    ),
    (
        "x.scatter(1, tensor([[0]]), tensor([[1]]))",
        "AGX304",
        "`x` is float32, `tensor([[0]])` is int64 and `tensor([[1]])` is",
        "x.scatter(1, tensor([[0]]), tensor([[1]]).float())",
    ),
    (
        "F.one_hot(tensor([1, 5]), 3)",
        "AGX309",
        "3 classes are 0 to 2; `tensor([1, 5])` holds 5.",
        "F.one_hot(tensor([1, 5]), 6)",
    ),
    (
        "x.gather(1, tensor([[0, 5], [1, 2]]))",
        "AGX309",
        "`x` (2,3) has size 3 in dimension 1: its indices are 0 to 2, or",
        "x.gather(1, tensor([[0, 5], [1, 2]]).clamp(0, 2))",
    ),
    ("x[0, 7]", "AGX309", "`x` (2,3) has size 3 in dimension 1: its indices are 0 to 2, or", "x[0, 2]"),
    (
        "F.embedding(tensor([1, 9]), x)",
        "AGX309",
        "`x` (2,3) has the indices 0 to 1; `tensor([1, 9])` holds 9.",
        "F.embedding(tensor([1, 9]).clamp(0, 1), x)",
    ),
    (
        "softmax(x, 3)",
        "AGX311",
        "`x` (2,3) has 2 dimensions: `softmax` takes -2 to 1, not 3.",
        "softmax(x, 1)",
    ),
    (
        "bernoulli(x)",
        "AGX324",
        "`x` (2,3) holds 1.5; `bernoulli` takes probabilities, from 0 to 1.",
        "bernoulli(sigmoid(x))",
    ),
    (
        "multinomial(x, 2)",
        "AGX324",
        "`x` (2,3) holds -0.3; `multinomial` takes weights, finite and not",
        "multinomial(sigmoid(x), 2)",
    ),
    (
        "ones(2).add_(ones(3, 2))",
        "AGX302",
        "`ones(2)` (2,) is written in place and cannot grow; the result",
        "ones(2).add(ones(3, 2))",
    ),
    (
        "ones(2, dtype=int64).add_(0.5)",
        "AGX336",
        "`ones(2, dtype=int64)` is int64 and is written in place: the",
        "ones(2, dtype=int64).float().add_(0.5)",
    ),
    (
        "lerp(x, ones(2, 3, device='meta'), ones(2, 3))",
        "AGX303",
        "`x` is on cpu and `ones(2, 3, device='meta')` is on meta: one",
        'lerp(x.to("meta"), ones(2, 3, device=\'meta\'), ones(2, 3).to("meta"))',
    ),
    ("x + ones(4)", "AGX302", "`x` (2,3) and `ones(4)` (4,) do not broadcast: their last", "x + ones(3)"),
    (
        "F.linear(x, ones(4, 5))",
        "AGX301",
        "`x` (2,3) and `ones(4, 5)` (4,5) cannot be multiplied: the last",
        "F.linear(x, ones(4, 3))",
    ),
    ("abs(x, 3)", "AGX344", "`abs` is given 2 arguments; it takes `input`.", "abs(x)"),
    ("(x > 0) - x", "AGX314", "`x > 0` is bool, which `-` does not take.", "(x > 0).float() - x"),
    (
        "bitwise_and(tensor([1, 2, 3]), x)",
        "AGX314",
        "`x` is float32, which `bitwise_and` does not take.",
        "bitwise_and(tensor([1, 2, 3]), x.long())",
    ),
    (
        "polygamma('a', x)",
        "AGX344",
        "`'a'` is a text; `n` of `polygamma` is a whole number.",
        "polygamma(1, x)",
    ),
    (
        "polygamma(1, [1.5, 0.3])",
        "AGX318",
        "`[1.5, 0.3]` is a Python list, and `polygamma` takes a tensor there.",
        "polygamma(1, tensor([1.5, 0.3]))",
    ),
    (
        "cat([[1.5, -0.3, 0.7], x[0]])",
        "AGX344",
        "`[1.5, -0.3, 0.7]` is a list; `tensors` of `cat` is several tensors.",
        "cat([torch.tensor([1.5, -0.3, 0.7]), x[0]])",
    ),
    (
        "F.embedding_bag(tensor([[7, 0]]), ones(2, 3))",
        "AGX309",
        "`ones(2, 3)` (2,3) has the indices 0 to 1; `tensor([[7, 0]])`",
        "F.embedding_bag(tensor([[7, 0]]).clamp(0, 1), ones(2, 3))",
    ),
    ("relu(x > 0)", "AGX314", "`x > 0` is bool: `relu` does not take that.", "relu((x > 0).float())"),
    (
        "torch.Size((2, None))",
        "AGX344",
        "`None` is no value; `sizes` of `Size` is whole numbers, the sizes.",
        "torch.Size((2, 1))",
    ),
]


@pytest.mark.parametrize(("source", "code", "sentence", "repaired"), KINDS, ids=[row[0] for row in KINDS])
def test_an_error_is_told_by_its_kind_and_mended_by_trying(why, ran, source, code, sentence, repaired):
    values = {"x": X} if "x" in source else {}
    finding = why(source, **values)
    assert finding.code == code
    assert finding.sentence.startswith(sentence)
    working = [fix.program for fix in finding.fix if fix.passed]
    assert working[:1] == [repaired] * (repaired is not None)
    assert all(ran(program, **values).failure is None for program in working)


def test_the_forms_that_torch_tells_stand_with_the_operands(why):
    finding = why("normal(0., -1.)")
    assert finding.cause[2:] == (
        "takes  (Tensor mean, Tensor std, *, torch.Generator generator = None, Tensor out = None)",
        "takes  (Tensor mean, float std = 1, *, torch.Generator generator = None, Tensor out = None)",
        "takes  (float mean, Tensor std, *, torch.Generator generator = None, Tensor out = None)",
    )


PROGRAMS = [
    (
        "x = torch.randn(8, 3)\nw = torch.randn(4, 2)\nloss = (x @ w).sum()",
        "AGX301",
        "line 3:  w = torch.randn(3, 2), `w` made with 3 for 4",
    ),
    (
        "x = torch.ones(2, 3, requires_grad=True)\na, b = (x * 2).unbind(0)\na.mul_(2)",
        "AGX432",
        "line 4:  a = a.mul(2), a new value",
    ),
    (
        "x = torch.ones(3, requires_grad=True)\nh = x * 2\nwith torch.no_grad():\n    v = h[:2]\nv.mul_(2)",
        "AGX433",
        "line 6:  v = v.mul(2), a new value",
    ),
    (
        "x = torch.ones(3, 1, requires_grad=True)\nh = (x * 2).expand(3, 4)\nh[0] = 1.",
        "AGX434",
        "line 4:  h = h.clone(), a copy before it",
    ),
    (
        "counts = torch.tensor([1, 2, 3])\ncounts += 0.5",
        "AGX336",
        "line 3:  counts = counts + 0.5, a new value",
    ),
]


@pytest.mark.parametrize(("lines", "code", "words"), PROGRAMS, ids=[row[1] for row in PROGRAMS])
def test_a_program_is_told_and_mended_where_it_is_written(why_it_failed, lines, code, words):
    (finding,) = why_it_failed(f"import torch\n{lines}\n")
    assert finding.code == code
    assert finding.fix[0].text == words
    assert finding.fix[0].passed
    assert why_it_failed(finding.fix[0].program) == ()


def test_where_nothing_works_no_repair_is_offered(why):
    assert why("linalg.inv(x)", x=X).fix == ()


def test_channels_are_drawn_over_each_other(why):
    finding = why("F.conv2d(x, w)", x=torch.ones(3, 8, 8), w=torch.ones(4, 2, 3, 3))
    assert finding.cause == (
        "x  (3,8,8)       3  8  8",
        "w  (4,2,3,3)  4  2  3  3",
        "                 ^",
        "channels must be equal (times the groups)",
    )


@pytest.mark.parametrize(
    ("lines", "code", "sentence", "words"),
    [
        (
            "x = torch.zeros(3)\nx[0] = torch.ones(2)",
            "AGX302",
            "`x[0]` is (), and `torch.ones(2)` (2,) does not go into it.",
            "line 3:  x[0] = torch.ones(1), `torch.ones(2)` made with 1 for 2",
        ),
        (
            "outs = [torch.ones(2), torch.ones(3)]\ntorch.stack(outs)",
            "AGX317",
            "`stack` needs tensors of the same sizes.",
            "line 3:  torch.cat(outs, dim=0), joined along dimension 0",
        ),
        (
            "E = torch.randn(10, 4)\ni = torch.tensor([1., 2.])\ntorch.nn.functional.embedding(i, E)",
            "AGX313",
            "`i` is float32; an index is a whole number, int64.",
            "line 4:  torch.nn.functional.embedding(i.long(), E), `i` as int64",
        ),
        (
            (
                "def layer(x, w, b):\n    return x @ w + b\n"
                "layer(torch.ones(4, 3), torch.ones(3, 2), torch.ones(3))"
            ),
            "AGX302",
            "`x @ w` (4,2) and `b` (3,) do not broadcast: their last dimensions, 2 against 3.",
            "line 4:  layer(torch.ones(4, 3), torch.ones(3, 2), torch.ones(2)), `b` made with 2 for 3",
        ),
    ],
)
def test_what_a_program_names_elsewhere_is_told_and_mended(why_it_failed, lines, code, sentence, words):
    (finding,) = why_it_failed(f"import torch\n{lines}\n")
    assert (finding.code, finding.sentence) == (code, sentence)
    assert (finding.fix[0].text, finding.fix[0].passed) == (words, True)
