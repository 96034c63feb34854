"""How long the formulas of scalar expressions are, next to what SymPy makes of the same derivatives.

`golden/scalars.txt` has, in a line each, an expression, the nodes of `sympy.simplify` of its derivative by x,
and that derivative. `pytest --refresh-golden` has SymPy write the last two anew; read the difference.
"""

from pathlib import Path
from statistics import median

import pytest

from autograd_cli.lang.nodes import Name, walk
from autograd_cli.lang.parse import parse
from autograd_cli.lang.source import Source

GOLDEN = Path(__file__).parent / "golden" / "scalars.txt"
LINES = [tuple(line.split(" | ")) for line in GOLDEN.read_text().splitlines()]
VALUES = {"x": 0.7, "y": 0.6, "a": 1.3, "b": 0.4, "c": 0.9, "w": 1.1}


def nodes(text):
    """How many nodes an expression has in the language, in which SymPy writes its own too."""
    return sum(1 for _ in walk(parse(Source(text)).body))


def simplified(source):
    """The derivative by x as SymPy writes it."""
    import sympy

    symbols = {name: sympy.Symbol(name, real=True) for name in VALUES} | {"abs": sympy.Abs}
    return sympy.sstr(sympy.simplify(sympy.diff(sympy.sympify(source, symbols), symbols["x"])))


@pytest.fixture(scope="module", autouse=True)
def refreshed(request):
    """Write the file anew where that is asked for."""
    if request.config.getoption("--refresh-golden"):
        made = [(source, simplified(source)) for source, *_ in LINES]
        GOLDEN.write_text("".join(f"{source} | {nodes(text)} | {text}\n" for source, text in made))


def formula(derive, source):
    """The formula of the derivative by x, which autograd agrees with."""
    used = {node.id for node in walk(parse(Source(source)).body) if isinstance(node, Name)}
    found = derive(source, **{name: value for name, value in VALUES.items() if name in used})["x"]
    assert found.agrees, (source, found.text, found.derivative.reason)
    return found.text


def test_formulas_are_as_short_as_those_of_sympy(derive):
    ratios = [nodes(formula(derive, source)) / int(length) for source, length, _ in LINES]
    assert len(ratios) > 200
    assert median(ratios) <= 1.05
    assert sum(ratios) / len(ratios) <= 1.25


def test_what_sympy_wrote_has_the_nodes_that_are_stored():
    assert [int(length) for _, length, _ in LINES] == [nodes(text) for *_, text in LINES]
