"""Names through a program: roles of bindings, what nothing gives a value to, what is imported for nothing."""

import pytest

from autograd_cli.lang.check import check, understood
from autograd_cli.lang.flow import unused
from autograd_cli.lang.functions.rows import Role
from autograd_cli.lang.parse import TextLimits, parse
from autograd_cli.lang.source import Source

T, INDEX, COUNT, SIZE, DIM = Role.TENSOR, Role.INDEX, Role.COUNT, Role.SIZE, Role.DIM

ROLES = {
    "y = x**2\nprint(x, n)\nfor i in range(n): y = y + i": {"x": {T}, "n": {COUNT}},
    "print(n)": {"n": {T}},
    "print(f'{n:.3f}', x + n)": {"x": {T}, "n": {T}},
    "z = x.clone()\nz[i] = 100\nz[j + 1] += x": {"x": {T}, "i": {INDEX}, "j": {INDEX}},
    "if n:\n    y = zeros(n)": {"n": {SIZE}},
    "def f(a, k): return a.sum(k)\nf(x, n)": {"x": {T}, "n": {DIM}},
    "def f(a, k=2): return g(a, k)\ndef g(a, d): return a.sum(dim=d)\nf(a=x, k=n)": {"x": {T}, "n": {DIM}},
    "def f(a): return a[n]\nf(x)": {"x": {T}, "n": {INDEX}},
    "x += 1": {"x": {T}},
    "x.grad = None\nx.requires_grad = True": {"x": {T}},
    "with torch.set_grad_enabled(flag): x": {"flag": {Role.FLAG}, "x": {T}},
    "assert n, x": {"n": {T}, "x": {T}},
    "[a, x[i]] = x": {"x": {T}, "i": {INDEX}},
    "try:\n    y = x\nexcept ValueError as err:\n    print(err)": {"x": {T}},
}


@pytest.mark.parametrize("text", ROLES)
def test_a_binding_has_the_roles_of_the_places_where_it_stands(text: str) -> None:
    usage = check(parse(Source(text)), ["x", "n", "i", "j", "flag"])
    found = {name: set(roles) for name, roles in usage.names.items() if name in usage.scope}
    assert {name: found[name] for name in ROLES[text]} == ROLES[text]


def test_what_a_program_assigns_somewhere_is_not_unbound() -> None:
    text = "print(a, b)\na = k\nfor b in a: pass\ndef f(c):\n    d = 1\n    return c + d + m\nf(a)"
    usage = check(parse(Source(text)), [])
    assert set(usage.unbound) == {"k", "m"}


def test_a_program_with_an_unbound_name_is_left_to_the_run() -> None:
    assert understood(Source("y = k + 1"), [], TextLimits()).usage.unbound == ("k",)


def test_imports_of_elsewhere_that_are_not_used_are_noted() -> None:
    text = "from __future__ import annotations\nimport torch, os\nimport matplotlib.pyplot as plt\ntorch.e"
    program = parse(Source(text))
    assert check(program, []).unbound == ()
    assert [(each.path, each.name) for each in unused(program)] == [
        ("os", "os"),
        ("matplotlib.pyplot", "plt"),
    ]


def test_a_function_that_was_brought_can_be_called(refused) -> None:
    usage = check(parse(Source("mine(x, k=2)")), ["x"], ["mine"])
    assert usage.unbound == ()
    assert refused("mine(x)", "x", "mine").code == "AGX109"


def test_a_long_chain_of_functions_is_looked_at_without_recursion() -> None:
    lines = [f"def f{n}(x): return f{n + 1}(x)" for n in range(1200)]
    usage = check(parse(Source("\n".join([*lines, "def f1200(x): return x[0]", "f0(k)"]))), ["k"])
    assert usage.names["k"] == {T}


def test_a_program_is_looked_at_without_recursion() -> None:
    text = "x = 1\n" * 3000 + "y = " + "+".join(["x"] * 400)
    assert check(parse(Source(text)), []).unbound == ()
