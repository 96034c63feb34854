"""What the failing call is given, by its names; and the numbers that choose a place, as far as they go."""

import pytest

from autograd_cli.diagnose.scripts import inside, operands

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"


@pytest.fixture
def told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def made(text):
        (tmp_path / "fit.py").write_text(HEAD + text)
        (found,) = inside.run("fit.py").findings
        return found.finding

    return made


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(x - 1) @ w.t()", ("x - 1", "w.t()")),
        ("torch.cat([a, b[0]], 1)", ("a", "b[0]")),
        ("x.add(y, alpha=2)", ("x", "y")),
        ("F.mse_loss(net.out,\n    y)", ("net.out", "y")),
        ("h += bias", ("h", "bias")),
        ("a < b", ("a", "b")),
        ("f(*parts)", ()),
        ("x + -1", ("x",)),
        (f"{'very_' * 8}long + y", ()),
        ("for x in", ()),
        ("", ()),
    ],
)
def test_the_operands_are_read_from_the_source_of_what_failed(text, found):
    assert operands.of(text) == found


SHAPES = [
    (
        "a = torch.ones(8, 5)\nw = torch.ones(4, 8)\n(a - 1) @ w.t() + 1",
        "`(a - 1) @ w.t() + 1` multiplies `a - 1` as (8,5) and `w.t()` as (8,4), and the inner sizes differ.",
        "transpose what has its dimensions turned round: (a - 1).mT",
    ),
    (
        "a = torch.ones(2, 4, 5)\nw = torch.ones(4, 3)\ny = a @ w",
        "`y = a @ w` multiplies `a` (2,4,5) and `w` (4,3), and the inner sizes differ.",
        "neither fits when it is transposed: change the 5 of the left or the 4 of the right",
    ),
    (
        "a = torch.ones(2, 3)\nw = torch.ones(2, 3)\ny = a @ w",
        "`y = a @ w` multiplies `a` (2,3) and `w` (2,3), and the inner sizes differ.",
        "transpose what has its dimensions turned round: w.mT or a.mT",
    ),
    (
        "a = torch.ones(3, 4)\nb = torch.ones(7)\ny = a + b",
        "`y = a + b` joins `a` (3,4) and `b` (7,), which do not broadcast.",
        "add a dimension with [:, None], or reshape",
    ),
    (
        "a = torch.ones(3, 4)\nb = torch.ones(3)\ny = b * a",
        "`y = b * a` joins `b` (3,) and `a` (3,4), which do not broadcast.",
        "of one number a row make a column: b[:, None]",
    ),
    (
        "a = torch.ones(2, 3)\nb = torch.ones(2, 4)\ny = torch.cat([a, b])",
        "`y = torch.cat([a, b])` joins `a` (2,3) and `b` (2,4) along dimension 0.",
        "join them along the dimension that differs: dim=1",
    ),
    (
        "a = torch.ones(3, 2)\nb = torch.ones(4, 3)\ny = torch.cat([a, b])",
        "`y = torch.cat([a, b])` joins `a` (3,2) and `b` (4,3) along dimension 0.",
        "pad or cut them to one size",
    ),
    (
        "x = torch.ones(4, 3, dtype=torch.float64)\nw = torch.ones(3, 2)\ny = (x * 3) @ w",
        "`y = (x * 3) @ w` computes with `x * 3` as float64 and `w` float32.",
        "convert where the data comes in, with dtype=torch.float32 or .float()",
    ),
    (
        "z = torch.ones(3, device='meta')\nb = torch.ones(3)\ny = z + b",
        "`y = z + b` takes `z` on meta and `b` on cpu.",
        "make all of them on one device with memory: device='cpu' where the one on meta is made",
    ),
]


@pytest.mark.parametrize(("text", "sentence", "fix"), SHAPES, ids=range(len(SHAPES)))
def test_what_does_not_go_together_is_named_with_what_keeps_it_apart(told, text, sentence, fix):
    finding = told(text)
    assert (finding.sentence, finding.fix[0].text) == (sentence, fix)


LOSS = "F.cross_entropy(torch.zeros({}, {}), torch.tensor({}))"
GOES = "the class numbers go from {} to {}, and the scores are for 0 to {}"


@pytest.mark.parametrize(
    ("text", "cause", "fix"),
    [
        (
            LOSS.format(3, 4, [0, 4, 1]),
            GOES.format(0, 4, 3),
            "give the last layer 5 outputs, or find out where the label 4 comes from",
        ),
        (
            LOSS.format(3, 3, [1, 2, 3]),
            GOES.format(1, 3, 2),
            "the labels start at 1: subtract 1 from them",
        ),
        (
            LOSS.format(2, 3, [0, 255]),
            GOES.format(0, 255, 2),
            "if 255 marks what has no class, pass ignore_index=255 to the loss",
        ),
        (
            LOSS.format(2, 3, [-1, 2]),
            GOES.format(-1, 2, 2),
            "if -1 marks what has no class, pass ignore_index=-1 to the loss",
        ),
        (
            "ids = torch.tensor([[3, 12]])\nnn.Embedding(10, 4)(ids)",
            "the indices go from 3 to 12, and the table has the rows 0 to 9",
            "make the table of 13 rows, or find out where 12 comes from",
        ),
        (
            "ids = torch.tensor([-1])\nnn.Embedding(10, 4)(ids)",
            "the indices go from -1 to -1, and the table has the rows 0 to 9",
            "check ids.max() and ids.min(), which belong below num_embeddings and not below 0",
        ),
    ],
)
def test_numbers_that_choose_a_place_are_told_as_far_as_they_go(told, text, cause, fix):
    finding = told(text)
    assert cause in finding.cause
    assert [one.text for one in finding.fix] == [fix]
