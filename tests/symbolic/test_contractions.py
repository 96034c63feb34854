"""Rules of products of matrices and of contractions against autograd, under random cotangents."""

import pytest
import torch

from autograd_cli.symbolic.matrices import is_symmetric

CASES = """
linalg.multi_dot([x, y])                      | 23 34
linalg.multi_dot([x, y, z])                   | 23 34 42
linalg.multi_dot([x, y, z])                   | 3 34 4
linalg.multi_dot([x, y, x.T])                 | 23 33
chain_matmul(x, y, z)                         | 23 34 42
addbmm(z, x, y)                               | 523 534 24
addbmm(z, x, y, beta=2, alpha=3)              | 523 534 24
addr(z, x, y, alpha=2)                        | 3 3 33
addr(z, x, y)                                 | 3 3 -
F.linear(x, y)                                | 523 43
F.linear(x, y, z)                             | 523 43 4
F.linear(x, y)                                | 3 3
F.linear(x, y)                                | 23 3
linalg.vecdot(x, y)                           | 23 23
linalg.vecdot(x, y, dim=0)                    | 23 23
linalg.vecdot(x, y)                           | 23 3
linalg.cross(x, y)                            | 23 23
linalg.cross(x, y, dim=0)                     | 32 31
einsum('ij,jk->ik', x, y)                     | 23 34
einsum('ij,jk', x, y)                         | 23 34
einsum('ij,kj->ki', x, y)                     | 23 43
einsum('ij,j->i', x, y)                       | 23 3
einsum('i,j->ij', x, y)                       | 2 3
einsum('i,j->ji', x, y)                       | 2 3
einsum('i,i->', x, y)                         | 3 3
einsum('ij->ji', x)                           | 23
einsum('ij->i', x)                            | 23
einsum('ij->', x)                             | 23
einsum('ij->j', x)                            | 23
einsum('bij,bjk->bik', x, y)                  | 523 534
einsum('...ij,...jk->...ik', x, y)            | 523 534
einsum('...i,i', x, y)                        | 523 3
einsum('i,ij,j->', x, y, z)                   | 2 23 3
einsum('bi,oij,bj->bo', x, y, z)              | 23 435 25
einsum('ii->i', x)                            | 33
einsum('ii', x)                               | 33
einsum('ii,i->i', x, y)                       | 33 3
einsum('iij->ji', x)                          | 332
einsum('ij,ij->ij', x, y)                     | 23 23
einsum('ij,k->ik', x, y)                      | 23 3
einsum('ijk->ki', x)                          | 234
einsum('ij,ik->jk', x, x)                     | 23
einsum('i,->i', x, y)                         | 3 -
einsum('ij,jk->ik', [x, y])                   | 23 34
einsum(',->', x, y)                           | - -
tensordot(x, y, dims=1)                       | 23 34
tensordot(x, y)                               | 523 234
tensordot(x, y, dims=0)                       | 3 2
tensordot(x, y, dims=([0], [1]))              | 23 42
tensordot(x, y, ([0, 2], [1, 0]))             | 243 32
inner(x, y)                                   | 3 3
inner(x, y)                                   | 23 43
inner(x, y)                                   | 23 3
inner(x, y)                                   | 523 43
inner(x, y)                                   | 23 -
F.bilinear(x, y, z)                           | 23 24 534
F.bilinear(x, y, z)                           | 3 4 534
bilinear(x, y, z, b)                          | 623 624 534 5
kron(x, y)                                    | 23 34
kron(x, y)                                    | 3 2
kron(x, y)                                    | 23 3
kron(x, y)                                    | 212 23
kron(x, y)                                    | 3 -
kron(x, x)                                    | 23
(x@y.T).T                                     | 23 43
(x.T@y).mT                                    | 23 24
(x@y.mT).mT                                   | 523 543
(x@y).T                                       | 523 3
trace(x@y)                                    | 23 32
trace(x)                                      | 23
trace(x@y@x.T)                                | 23 33
trace(x.T@y)*z                                | 23 23 -
floor(x@y)                                    | 23 34
(x@y.T).T@x@y.T                               | 23 23
""".strip().splitlines()
"""Sources and the shapes of x, y, z and b, a digit a dim, `-` for a scalar."""


def values(shapes: str) -> dict[str, torch.Tensor]:
    """Random x, y, z and b."""
    torch.manual_seed(2)
    sizes = [tuple(map(int, shape.strip("-"))) for shape in shapes.split()]
    return {name: torch.randn(size) for name, size in zip("xyzb", sizes, strict=False)}


@pytest.mark.filterwarnings("ignore:torch.chain_matmul is deprecated")
@pytest.mark.parametrize("line", CASES)
@pytest.mark.parametrize("form", ["{}", "sin({})"], ids=["ones", "varied"])
def test_rule_agrees_with_autograd(derive, line, form):
    source, shapes = (part.strip() for part in line.split(" | "))
    for name, found in derive(form.format(source), **values(shapes)).items():
        assert found.agrees, (name, found.text, found.derivative.reason, found.value, found.gradient)


GOLDEN = """
trace(A@B)                   | A | B.T
trace(A@B)                   | B | A.T
trace(A.T@B)                 | A | B
trace(A@B@A.T)               | A | A@B.T + A@B
trace(A.T@A)                 | A | 2*A
sin(A.T@B).sum()             | A | B @ cos(A.T@B).T
(A@B.T).T.sin()              | B | cos((A@B.T).T) @ A
einsum('ij,jk->ik', A, B)    | A | B.sum(1).expand_as(A)
einsum('ij,jk->ik', A, B)**2 | A | 2 * einsum('ij,jk->ik', A, B) @ B.T
einsum('ij,jk->ik', A, B)**2 | B | 2 * A.T @ einsum('ij,jk->ik', A, B)
einsum('i,ij,j', x, A, b)    | A | outer(x, b)
einsum('i,ij,j', x, A, b)    | b | A.T @ x
einsum('ii->i', A)**2        | A | 2*einsum('i,ia->ia', einsum('ii->i', A), eye(3))
linalg.multi_dot([x, A, b])  | x | A @ b
linalg.cross(x, b)@x         | b | linalg.cross(x, x)
kron(x, b)**2                | x | 2 * kron(x, b).reshape(3, 3) @ b
F.linear(A, B, b)**2         | B | 2 * F.linear(A, B, b).T @ A
""".strip().splitlines()


@pytest.mark.parametrize("line", GOLDEN)
def test_formula(derive, line):
    source, name, text = (part.strip() for part in line.split(" | "))
    found = derive(source, **dict(zip("ABxb", values("33 33 3 3").values(), strict=True)))[name]
    assert found.text == text
    assert found.agrees, (found.value, found.gradient)


def test_a_dim_that_a_contraction_stretches(derive):
    found = derive("einsum('ij,jk->ik', x, y)", **values("21 34"))["x"]
    assert (
        found.derivative.reason == "a contraction that stretches a dim of size 1 has no derivative rule yet"
    )


SYMMETRIC = [
    "A@A.T",
    "A.T@A",
    "A.T@eye(3)@A",
    "eye(3)",
    "c*eye(3)",
    "A@A.T + c*eye(3)",
    "A.T@A - torch.eye(3)",
]
NOT_SYMMETRIC = ["A", "A@B.T", "A.T@B@A", "A@A", "B*eye(1)", "A@A.T + B", "B*(A@A.T)", "A.T@A@B"]


@pytest.mark.parametrize("source", SYMMETRIC + NOT_SYMMETRIC)
def test_a_matrix_that_is_symmetric_as_it_is_written(expr, source):
    assert is_symmetric(expr(source)) == (source in SYMMETRIC)


@pytest.mark.parametrize("source", [source for source in SYMMETRIC + NOT_SYMMETRIC if "A" in source])
def test_a_matrix_is_turned_where_it_is_not_symmetric(derive, source):
    given = dict(zip("ABc", values("33 33 -").values(), strict=True))
    found = derive(f"slogdet({source})[1]", **given)
    assert found["A"].agrees, (found["A"].text, found["A"].value, found["A"].gradient)
    assert (f"inv({source}).T" in found["A"].text) == (source in NOT_SYMMETRIC)
