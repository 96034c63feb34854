"""No rule breaks on the numbers of an example, whatever they are: 0, infinite, NaN, large, none, whole."""

import random
import re

import pytest

from autograd_cli.errors import AgxError
from autograd_cli.explore import Options, explore
from tests.same.test_examples import EXAMPLES

NUMBERS = ["0.", "1.", "-1.", "inf", "-inf", "nan", "1e30", "0.5"]
DTYPES = [None, "float16", "bfloat16", "float64", "complex64"]
SHORT = {path: each for path, each in EXAMPLES.items() if each.bindings and "\n" not in each.source}

_NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?j?")


def changed(draw, text):
    """A binding with other numbers: all of one kind, mixed, or none."""
    if not re.search(r"\.|e-|nan|inf", text) or re.match(r"[a-z]", text):
        return text
    if draw.random() < 0.1:
        return "zeros(0, 2)" if text.startswith("[[") else "[]" if text.startswith("[") else text
    kinds = NUMBERS if draw.random() < 0.5 else [draw.choice(NUMBERS)]
    return _NUMBER.sub(lambda _: draw.choice(kinds), text)


def whole(text):
    """A binding in whole numbers."""
    return re.sub(r"(\d)\.\d*", r"\1", text)


def written(draw, source):
    """The example, down to one number, or as a program."""
    if draw.random() < 0.3:
        return source
    if draw.random() < 0.5:
        return f"({source}).abs().sum()"
    return f"out = ({source}).abs()\nloss = out.sum()\nloss.backward()\n"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
def test_every_report_is_made(seed):
    draw, made = random.Random(seed), 0
    for path in draw.sample(sorted(SHORT), 60):
        example = SHORT[path]
        bindings = {name: changed(draw, text) for name, text in example.bindings.items()}
        const = (draw.choice(sorted(bindings)),) if len(bindings) > 1 and draw.random() < 0.3 else ()
        bindings |= {name: whole(example.bindings[name]) for name in const}
        options = Options(dtype=draw.choice(DTYPES), const=const)
        try:
            made += explore(written(draw, example.source), list(bindings.items()), options).status in (0, 1)
        except AgxError:
            continue
    assert made > 40


@pytest.mark.parametrize(
    ("source", "bindings", "dtype"),
    [
        ("asin(x)", {"x": "[-1.,-1.]"}, "complex64"),
        ("F.normalize(x).abs().sum()", {"x": "[[nan,nan,nan]]"}, "complex64"),
        ("arctanh(x).abs().sum()", {"x": "[-1.,-1.]"}, "complex64"),
        ("cartesian_prod(x, y).sum()", {"x": "[]", "y": "[]"}, "float32"),
        (
            "istft(x + 0j, 4, window=ones(4))",
            {"x": "[[inf,inf,inf],[inf,inf,inf],[inf,inf,inf]]"},
            "bfloat16",
        ),
    ],
)
def test_a_report_is_made_where_one_was_not(source, bindings, dtype):
    assert explore(source, list(bindings.items()), Options(dtype=dtype)).gradients
