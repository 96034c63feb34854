"""What a comment behind a print claims, and when it is held against what was printed."""

import pytest

from autograd_cli.diagnose.programs import claims
from autograd_cli.diagnose.programs.comments import agrees, claimed

SAME = [
    ("4", "tensor(4.)"),
    ("4.0", "tensor(4., grad_fn=<PowBackward0>)"),
    ("-2.6146", "tensor(-2.6146)"),
    ("-2.6146", "-2.614574432373047"),
    ("-2.61457", "tensor(-2.6146)"),
    ("tensor([1., 2.])", "tensor([1., 2.], grad_fn=<MulBackward0>)"),
    ("tensor([1., 2.])", "tensor([1.,2.])"),
    ("tensor([0., ..., 9.])", "tensor([0., 1., 2., 9.])"),
    ("torch.Size([2, 3])", "torch.Size([2, 3])"),
    ("(2, 3)", "torch.Size([2, 3])"),
    ("1.0059", "b: 1.0059 w: 1.9"),
    ("True", "True"),
    ("~ -0.7568", "tensor(-0.756802)"),
    ("1e-3", "tensor(0.0010)"),
    ("-> 16.0", "16.0"),
    ("None", "None"),
]

OTHER = [
    ("tensor(31.)", "tensor(16.)"),
    ("31 (accumulated)", "tensor(16.)"),
    ("31.0 since gradients add up", "16.0"),
    ("-2.6146", "tensor(-5.2291)"),
    ("4", "tensor(4.3)"),
    ("[2.0, 2.0]", "x: tensor([2., 3.])"),
    ("True", "False"),
    ("(2, 3)", "torch.Size([2, 4])"),
    ("torch.float32", "torch.float64"),
    ("None", "tensor(4.)"),
]

PROSE = [
    "3 epochs of training",
    "2. Compute the loss",
    "2.0 * x",
    "dz/dx = 4",
    "x.grad is 4",
    "None of these requires grad",
    "the gradient",
    "",
]


@pytest.mark.parametrize(("comment", "printed"), SAME)
def test_a_claim_that_holds(comment, printed):
    assert agrees(*claimed(comment), printed)


@pytest.mark.parametrize(("comment", "printed"), OTHER)
def test_a_claim_that_does_not(comment, printed):
    assert not agrees(*claimed(comment), printed)


@pytest.mark.parametrize("comment", PROSE)
def test_prose_claims_nothing(comment):
    assert claimed(comment) is None


def test_a_claim_is_known_by_its_line(program):
    ran = program("x = torch.tensor(2.)\nprint(x * 8)  # tensor(31.) as said\nprint(x)  # 2\n")
    assert claims(ran) == {2: "tensor(31.)"}


@pytest.mark.parametrize(
    "source",
    [
        "print(torch.rand(1))  # tensor([0.5])",
        "print(torch.cuda.is_available())  # True",
        "for i in range(2):\n    print(i)  # 7",
        "x = torch.ones(1)  # 7",
        "print('one')  # 7",
    ],
)
def test_what_may_come_out_otherwise_is_no_claim(program, source):
    assert claims(program(source)) == {}


def test_a_seed_makes_a_claim_of_random_numbers(program):
    assert claims(program("torch.manual_seed(0)\nprint(torch.rand(1))  # tensor([0.7])")) == {
        2: "tensor([0.7])"
    }
