"""What names mean under the prelude, held against Python with the prelude run."""

import builtins
import math
from typing import Any

import numpy
import pytest
import torch

from autograd_cli.errors import LanguageError
from autograd_cli.lang import lookup
from autograd_cli.lang.functions import FUNCTIONS, OPERATORS, is_member
from autograd_cli.lang.namespaces import ATTRIBUTES, CONSTANTS, EITHER, FROM_BUILTINS
from autograd_cli.lang.nodes import Attribute, Expr, Name, Number
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.lang.vocabulary import ATTRIBUTE_HABITS, CONSTANT_HABITS, HABITS, MODULE_CLASSES

PRELUDE = """
import math, torch
from torch import *
from torch import nn, linalg, special, fft, optim, set_grad_enabled
import torch.nn.functional as F
from builtins import bool, complex, float, int, range
import builtins
"""


@pytest.fixture(scope="module")
def prelude() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(PRELUDE, names)
    return names


def dotted(path: str) -> Expr:
    first, *rest = path.split(".")
    node: Expr = Name(first)
    for name in rest:
        node = Attribute(node, name)
    return node


@pytest.mark.parametrize("name", sorted(lookup.bare_names() - EITHER - {"torch", "math"}))
def test_a_bare_name_is_what_the_prelude_makes_of_it(name, prelude):
    expected = eval(name, prelude)
    row, constant = lookup.function(Name(name), ()), lookup.constant(Name(name), ())
    if row is not None:
        assert eval(row.path, {"torch": torch, "builtins": builtins}) is expected
    elif constant is not None:
        value = eval(constant.value, {"torch": torch}) if isinstance(constant.value, str) else constant.value
        assert repr(value) == repr(expected)
    else:
        assert lookup.module(Name(name), ()) is not None


CALLED = [row for row in FUNCTIONS if not is_member(row.path) and not row.path.startswith("numpy.")]


@pytest.mark.parametrize("row", CALLED, ids=lambda row: row.path)
def test_a_function_is_found_under_its_spelling_and_its_path(row):
    assert lookup.function(dotted(row.spelling), ()) in (row, lookup.function(dotted(row.name), ()))
    if not row.path.startswith("builtins."):
        assert lookup.function(dotted(row.path), ()) is row


@pytest.mark.parametrize("name", sorted(lookup.method_names()))
def test_a_method_is_one_of_tensors(name):
    row = lookup.method(name)
    assert row is not None
    assert callable(getattr(torch.Tensor, name))


# Attributes of a dtype, of a device and of a node.
OTHERS = {"is_complex", "is_floating_point", "type", "index", "next_functions", "variable"}


@pytest.mark.parametrize("name", sorted(set(ATTRIBUTES) - OTHERS))
def test_an_attribute_is_one_of_tensors(name):
    assert hasattr(torch.zeros(2, 2, dtype=torch.complex64), name)
    assert lookup.attribute(name)


@pytest.mark.parametrize("path", [path for path, row in CONSTANTS.items() if isinstance(row.value, float)])
def test_a_constant_has_pythons_value(path):
    value = eval(path, {"torch": torch, "math": math, "numpy": numpy})
    assert repr(CONSTANTS[path].value) == repr(value)


@pytest.mark.parametrize("name", sorted(FROM_BUILTINS - {"range"}))
def test_pythons_types_stand_for_the_dtype_that_torch_takes_them_for(name):
    constant = lookup.constant(Name(name), ())
    assert constant is not None
    assert str(torch.zeros(1, dtype=getattr(builtins, name)).dtype) == constant.value


@pytest.mark.parametrize("path", ["sin", "torch.sin", "F.relu", "pi", "torch.float32", "float32"])
def test_a_binding_hides_what_its_name_begins(path):
    hidden = [path.partition(".")[0]]
    assert lookup.function(dotted(path), hidden) is None
    assert lookup.constant(dotted(path), hidden) is None


@pytest.mark.parametrize(
    "path", ["torch.os.system", "torch.Tensor.view", "torch.Tensor.T", "math.no", "x.sin", "T"]
)
def test_what_is_not_in_the_table_is_no_function(path):
    assert lookup.function(dotted(path), ()) is None


def test_the_release_of_torch_is_a_constant_and_no_bare_name():
    found = lookup.constant(dotted("torch.__version__"), ())
    assert found is not None
    assert found.value == "torch.__version__"
    assert lookup.constant(Name("__version__"), ()) is None
    parse(Source("torch.__version__"))
    with pytest.raises(LanguageError, match="begins with an underscore"):
        parse(Source("torch.__file__"))


def test_an_expression_that_is_no_name_means_nothing():
    assert lookup.function(Attribute(Number(2), "sin"), ()) is None
    assert lookup.constant(Number(2), ()) is None
    assert lookup.module(Number(2), ()) is None


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "**", "@", "==", "not", "[]", "in", "not in", "is"])
def test_an_operator_has_a_row(op):
    assert lookup.operator(op) is OPERATORS[op]


def test_a_sign_is_not_the_operator_between_two_operands():
    assert lookup.operator("-", unary=True).name == "neg"
    assert lookup.operator("-").name == "sub"
    assert lookup.operator("~", unary=True).name == "bitwise_not"


@pytest.mark.parametrize("name", sorted(EITHER))
def test_the_eight_names_mean_torchs_on_a_tensor(name):
    assert lookup.is_either(Name(name), ())
    assert not lookup.is_either(Name(name), [name])
    row = lookup.function(Name(name), ())
    assert row is not None
    assert row.path == f"torch.{name}"


def test_numpys_keywords_are_torchs_where_torch_takes_them():
    total, softmax = lookup.method("sum"), lookup.function(dotted("F.softmax"), ())
    assert total is not None
    assert softmax is not None
    assert lookup.keyword(total, "axis") == "dim"
    assert lookup.keyword(total, "dim") == "dim"
    assert lookup.keyword(softmax, "axis") == "axis"
    assert lookup.keyword(total, "nothing") == "nothing"


@pytest.mark.parametrize("meant", sorted({*HABITS.values(), *MODULE_CLASSES.values()}))
def test_what_is_proposed_for_a_function_is_one(meant):
    assert lookup.function(dotted(meant), ()) is not None


@pytest.mark.parametrize("meant", sorted(set(CONSTANT_HABITS.values()) - {"True", "False", "None"}))
def test_what_is_proposed_for_a_constant_is_one(meant):
    assert lookup.constant(Name(meant), ()) is not None


@pytest.mark.parametrize("meant", sorted(set(ATTRIBUTE_HABITS.values())))
def test_what_is_proposed_for_an_attribute_is_one(meant):
    name = meant.partition("(")[0].partition("[")[0]
    assert lookup.method(name) is not None or lookup.attribute(name) is not None


def test_no_habit_is_itself_a_function():
    assert not [name for name in HABITS if lookup.is_function_name(name)]
