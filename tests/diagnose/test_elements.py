"""One element alone is spoken of: that of the gradient, of the value and of the product belong together."""

import re
from itertools import product

import pytest
import torch

from autograd_cli.explore import explore

SHAPES = {
    "one dimension": ((5,), (5,)),
    "two dimensions": ((2, 3), (2, 3)),
    "rows with a row": ((2, 3), (3,)),
    "a row with rows": ((3,), (2, 3)),
    "a column with a row": ((3, 1), (2,)),
    "a column of rows": ((2, 3), (2, 1)),
    "one number": ((2, 2), ()),
}

SOURCES = [
    "(x / y).sum()",
    "(sqrt(x) * y).sum()",
    "(x * sqrt(y)).sum()",
    "(log(x) * y).sum()",
    "where(x > 0, sqrt(x), y).sum()",
    "where(y > 0, log(y), x).sum()",
    "(x**0.5 + y).sum()",
    "(abs(x)**y).sum()",
    "(sqrt(x * y)).sum()",
    "(1 / (x - y)).sum()",
]

NUMBERS = (-1.0, 0.0, 1.0, 2.0)


def typed(shape: tuple[int, ...], seed: int) -> tuple[str, torch.Tensor]:
    """A binding of a shape, of numbers at which roots and logarithms have no slope too."""
    picked = torch.randint(len(NUMBERS), shape, generator=torch.Generator().manual_seed(seed))
    value = torch.tensor(NUMBERS)[picked]
    return str(value.tolist()), value


def broadcast(index: list[int], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The element of a tensor of a shape that counts at an element of what it is stretched to."""
    kept = index[len(index) - len(shape) :]
    return tuple(0 if size == 1 else i for i, size in zip(kept, shape, strict=True))


@pytest.mark.parametrize("source", SOURCES)
def test_the_value_and_the_product_are_told_at_the_element_of_the_gradient(source):
    told = 0
    for name, seed in product(SHAPES, range(3)):
        first, second = SHAPES[name]
        values = {"x": typed(first, seed), "y": typed(second, seed + 100)}
        report = explore(source, [(each, text) for each, (text, _) in values.items()])
        for finding in (each for each in report.findings if each.code == "AGX502"):
            told += 1
            check(finding, {each: value for each, (_, value) in values.items()})
    assert told > 3


def check(finding, values) -> None:
    """The finding's lines speak of one element, with its numbers."""
    leaf = re.match(r"The gradient of `(\w)`", finding.sentence)[1]
    at = tuple(finding.evidence["at"] or ())
    said = re.search(r", where `\w` is (\S+?)\.?$", finding.sentence)
    assert float(said[1]) == float(values[leaf][at])
    places = [finding.evidence[key]["index"] for key in ("value", "product") if key in finding.evidence]
    whole = max((*places, list(at)), key=len)
    for place in (*places, list(at)):
        shape = tuple(values[leaf].shape) if place == list(at) else None
        assert shape is None or broadcast(whole, shape) in (at, tuple(place)), (
            finding.sentence,
            finding.cause,
        )
    for line in finding.cause:
        for other, number in re.findall(r"`([xy])` is (-?\d+(?:\.\d+)?)", line.split("The gradient")[0]):
            if other == leaf and not line.startswith("The gradient"):
                assert float(number) == float(said[1]), (finding.sentence, finding.cause)


def test_an_element_that_is_not_the_first_is_said_to_be_one_of_them():
    findings = explore("(x * x.exp()).prod().sqrt()", [("x", "[-1.,2.,0.,3.]")]).findings
    (finding,) = (each for each in findings if each.code == "AGX502")
    assert finding.sentence == (
        "The gradient of `x` has 4 NaN of 4 elements, one of them at [2], where `x` is 0."
    )
    assert (finding.evidence["first"], finding.evidence["at"]) == ((0,), (2,))


THROUGH = {
    "rows by their lengths": ("(x / x.norm(dim=1, keepdim=True)).sum()", "[[1.,2.],[0.,0.]]", (1, 0), [1, 0]),
    "columns by theirs": ("(x / x.norm(dim=0)).sum()", "[[1.,0.],[2.,0.]]", (0, 1), [0, 1]),
    "rows of a square": (
        "(x / x.norm(dim=1)[:, None]).sum()",
        "[[1.,2.,3.],[0.,0.,0.],[2.,1.,0.]]",
        (1, 0),
        [1, 0],
    ),
    "turned": ("sqrt(x.T).sum()", "[[1.,2.],[3.,-1.],[2.,1.]]", (1, 1), [1, 1]),
    "turned, beside the diagonal": ("sqrt(x.T).sum()", "[[1.,2.],[-1.,3.],[2.,1.]]", (1, 0), [0, 1]),
    "all of a length": ("(x / (x * 0).norm()).sum()", "[1.,0.,4.]", (0,), [0]),
    "a share of a row": ("softmax(x, 1)[:, 0].sum()", "[[1.,2.],[-inf,-inf]]", (1, 0), [1, 0]),
}


@pytest.mark.parametrize("name", THROUGH)
def test_through_what_is_no_product_of_elements_too(name):
    source, x, at, value = THROUGH[name]
    (finding,) = (each for each in explore(source, [("x", x)]).findings if each.code == "AGX502")
    assert finding.evidence["at"] == at
    assert finding.evidence["value"]["index"] == value


def test_gradients_that_are_no_numbers_are_held_against_each_other():
    """A difference of two gradients with NaN in them has no size of its own."""
    findings = explore("(x / y).sum()", [("x", "[[0.],[3.]]"), ("y", "[1.,0.]")]).findings
    assert {each.code for each in findings} == {"AGX502", "AGX407"}
