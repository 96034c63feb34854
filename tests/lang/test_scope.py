"""What names mean under imports, held against what Python makes of the same imports."""

import builtins
from typing import Any

import numpy
import pytest
import torch

from autograd_cli.lang import lookup, scope
from autograd_cli.lang.nodes import Attribute, Expr, Name
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source
from autograd_cli.lang.vocabulary import words

IMPORTS = [
    "import torch",
    "import torch as t",
    "import torch.nn.functional as F",
    "import torch.nn as nn",
    "import torch.nn",
    "from torch import nn, optim",
    "from torch import sin, float32",
    "from torch import *",
    "from torch.autograd import grad",
    "import math",
    "from math import pi, sqrt",
    "from math import *",
    "import numpy as np",
    "import numpy",
    "from torch.optim import SGD",
    "from torch import *\nfrom math import *",
    "from math import *\nfrom torch import *",
    "from math import sin\nfrom torch import *",
    "from torch import *\nfrom math import sin",
]
PATHS = words(
    """
    torch.sin t.sin sin F.relu nn.functional.relu torch.nn.functional.relu nn.Parameter optim.SGD SGD
    grad torch.autograd.grad math.pi pi sqrt math.sqrt np.array numpy.array np.random.randn float32
    torch.float32 float int bool sum max abs range len print pow e inf round str channels_last
    set_grad_enabled no_grad torch.no_grad exp np.float32 list
    """
)


def dotted(path: str) -> Expr:
    first, *rest = path.split(".")
    node: Expr = Name(first)
    for name in rest:
        node = Attribute(node, name)
    return node


def of_python(imports: str, path: str) -> Any:
    names: dict[str, Any] = {}
    exec(imports, names)
    try:
        return eval(path, names)
    except (NameError, AttributeError):
        return None


@pytest.mark.parametrize("imports", IMPORTS)
def test_a_name_is_what_the_imports_make_of_it(imports: str) -> None:
    here = scope.of(parse(Source(imports)), ())
    modules = {"torch": torch, "builtins": builtins, "math": __import__("math"), "numpy": numpy}
    for path in PATHS:
        found, expected = lookup.path(dotted(path), here), of_python(imports, path)
        if found is None:
            assert expected is None, path
        else:
            assert eval(found, modules) is expected or eval(found, modules) == expected, path


@pytest.mark.parametrize("imports", IMPORTS)
def test_what_is_proposed_under_imports_means_what_is_meant(imports: str) -> None:
    here = scope.of(parse(Source(imports)), ())
    for spelling in ("sin", "F.relu", "torch.autograd.grad", "linalg.norm"):
        written = here.spelled(spelling)
        is_there = lookup.path(dotted(written.partition(".")[0]), here) is not None
        meant = lookup.function(dotted(spelling), ())
        assert not is_there or lookup.function(dotted(written), here) is meant


def test_what_is_bound_hides_the_prelude_and_an_import_hides_what_is_bound() -> None:
    here = scope.of(parse(Source("e = 2")), ["sin"])
    assert {"e", "sin"} == set(here)
    assert lookup.path(Name("sin"), here) is None
    assert here.path("sin") == "torch.sin"
    assert lookup.path(Name("t"), scope.of(parse(Source("import torch as t")), ["t"])) == "torch"
    assert lookup.path(Name("t"), scope.of(parse(Source("import torch as t\nt = 2")), [])) is None


def test_the_eight_names_are_pythons_own_under_imports() -> None:
    here = scope.of(parse(Source("import torch")), ())
    assert not lookup.is_either(Name("sum"), here)
    assert lookup.path(Name("sum"), here) == "builtins.sum"


def test_a_function_hides_what_it_assigns() -> None:
    here = scope.of(parse(Source("def f(x): pass\ndef g(x): pass")), ["k"])
    inner = here.local({"f", "x"})
    assert set(inner) == {"f", "g", "k", "x"}
    assert inner.defined == {"g"}
