import pytest

from autograd_cli.diagnose import repair
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a @ b", "a @ b.T"),
        ("a @ (b + c)", "a @ (b + c).T"),
        ("a @ ( b )", "a @ b.T"),
        ("a @ sin(b)", "a @ sin(b).T"),
        ("a @ -b", "a @ (-b).T"),
    ],
)
def test_a_suffix_follows_the_operand_in_brackets_where_needed(text, expected):
    source = Source(text)
    product = parse(source).body
    assert repair.suffixed(source, product.right, ".T", product) == expected


def test_brackets_of_a_call_are_not_the_arguments_own():
    source = Source("sin(a + b)")
    argument = parse(source).body.args[0]
    assert repair.suffixed(source, argument, ".T", parse(source).body) == "sin((a + b).T)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("mm(a, b)", "matmul(a, b)"), ("torch.mm(a, b)", "torch.matmul(a, b)"), ("a.mm(b)", "a.matmul(b)")],
)
def test_a_function_or_method_gets_another_name(text, expected):
    source = Source(text)
    assert repair.renamed(source, parse(source).body, "matmul") == expected


def test_only_a_call_can_be_renamed():
    source = Source("a @ b")
    assert repair.renamed(source, parse(source).body, "matmul") is None
