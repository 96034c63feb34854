"""Rules of linear algebra against autograd, for one matrix and for stacks, and their formulas."""

import pytest
import torch

CASES = """
linalg.det(A)                                          | det 33
linalg.det(A)                                          | det 233
logdet(A@A.mT)                                         | 33
logdet(A@A.mT)                                         | 234
inverse(A)                                             | 33
linalg.inv(A)                                          | 233
linalg.pinv(A)                                         | 33
linalg.pinv(A)                                         | 43
pinverse(A)                                            | 34
linalg.pinv(A)                                         | 243
linalg.solve(A, B)                                     | 33 32
linalg.solve(A, B)                                     | 33 3
linalg.solve(A, B)                                     | 233 232
linalg.solve(A, B)                                     | 233 23
linalg.solve(A, B)                                     | 33 432
linalg.solve(A, B)                                     | 233 32
linalg.solve(A, B, left=False)                         | 33 23
linalg.solve(A, B, left=False)                         | 433 423
linalg.solve_triangular(A, B, upper=True)              | 33 32
linalg.solve_triangular(A, B, upper=False)             | 233 232
linalg.solve_triangular(A, B, upper=True, left=False)  | 33 23
linalg.solve_triangular(A, B, upper=True)              | 33 232
linalg.solve_triangular(A, B, upper=False, unitriangular=True)            | 33 32
linalg.solve_triangular(A, B, upper=True, left=False, unitriangular=True) | 33 23
linalg.cholesky(A@A.mT)                                | 34
linalg.cholesky(A@A.mT)                                | 234
linalg.cholesky(A@A.mT, upper=True)                    | 34
linalg.cholesky(A@A.mT, upper=True)                    | 234
cholesky_solve(B, A)                                   | 33 32
cholesky_solve(B, A, upper=True)                       | 33 32
cholesky_solve(B, A)                                   | 233 232
cholesky_inverse(A)                                    | 33
cholesky_inverse(A, upper=True)                        | 233
matrix_power(A, 0)                                     | 33
matrix_power(A, 1)                                     | 33
linalg.matrix_power(A, 2)                              | 233
matrix_power(A, 5)                                     | 33
matrix_power(A, -1)                                    | 33
linalg.matrix_power(A, -3)                             | 233
matrix_exp(A)                                          | 33
linalg.tensorinv(A.reshape(3, 1, 3), ind=1)            | 33
linalg.eigvalsh(A + A.mT)                              | 33
linalg.eigvalsh(A + A.mT, UPLO='U')                    | 233
linalg.svdvals(A)                                      | 34
linalg.svdvals(A)                                      | 243
linalg.diagonal(A)                                     | 34
linalg.diagonal(A, offset=1)                           | 234
linalg.vander(A)                                       | 3
linalg.slogdet(A)[1]                                   | 33
slogdet(A).logabsdet                                   | 233
slogdet(A)[0]                                          | 33
linalg.inv_ex(A)[0]                                    | 233
linalg.cholesky_ex(A@A.mT, upper=True)[0]              | 34
linalg.solve_ex(A, B)[0]                               | 33 3
linalg.solve_ex(A, B, left=False, check_errors=True)[0] | 33 23
linalg.eigh(A + A.mT)[0]                               | 33
linalg.eigh(A + A.mT, UPLO='U').eigenvalues            | 233
linalg.eigh(A + A.mT)[1].abs()                         | 33
linalg.eigh(A + A.mT)[1].abs()@linalg.eigh(A + A.mT)[0] | 33
linalg.eigh(A + A.mT)[1]**2                            | 233
linalg.eigh(A)[1]**2                                   | 33
linalg.svd(A)[1]                                       | 33
linalg.svd(A, full_matrices=False).S                   | 243
svd(A)[1]                                              | 34
linalg.qr(A)[0]                                        | 43
linalg.qr(A).R                                         | 243
qr(A)[1]                                               | 33
linalg.qr(A)[0]@linalg.qr(A)[1]                        | 33
triangular_solve(B, A)[0]                              | 33 32
triangular_solve(B, A, upper=False, transpose=True)[0] | 33 32
triangular_solve(B, A, True, True, True)[0]            | 233 232
triangular_solve(B, A, True, False, True).solution     | 33 32
linalg.lstsq(A, B)[0]                                  | 43 42
linalg.lstsq(A, B).solution                            | 243 242
linalg.lu(A)[1]                                        | 33
linalg.lu(A)[2]                                        | 233
linalg.vander(A.sum(), N=3)                            | 3
linalg.vander(A, N=4)                                  | 23
""".strip().splitlines()
"""Sources and the shapes of A and B, a digit a dim."""


def values(shapes: str) -> dict[str, torch.Tensor]:
    """Random A and B; a square A is well away from singular."""
    torch.manual_seed(4)
    made = {
        n: torch.randn(*map(int, s)) for n, s in zip("AB", shapes.removeprefix("det ").split(), strict=False)
    }
    if made["A"].dim() > 1 and made["A"].shape[-1] == made["A"].shape[-2]:
        made["A"] += 3 * torch.eye(made["A"].shape[-1])
    return made


@pytest.mark.filterwarnings("ignore:torch.* is deprecated")
@pytest.mark.parametrize("line", CASES)
@pytest.mark.parametrize("form", ["{}", "sin({})"], ids=["ones", "varied"])
def test_rule_agrees_with_autograd(derive, line, form):
    source, shapes = (part.strip() for part in line.split(" | "))
    for name, found in derive(form.format(source), **values(shapes)).items():
        assert found.agrees, (name, found.text, found.derivative.reason, found.value, found.gradient)


GOLDEN = """
det(A)                       | A | det(A)*linalg.inv(A).T
logdet(A)                    | A | linalg.inv(A).T
logdet(X.T@X)                | X | 2 * X @ linalg.inv(X.T@X)
-logdet(A)/2 + x@A@x/2       | A | 1/2 * (outer(x, x) - linalg.inv(A).T)
trace(linalg.inv(A)@B)       | A | -linalg.inv(A).T @ B.T @ linalg.inv(A).T
b@inverse(A)@x               | A | -inverse(A).T @ outer(b, x) @ inverse(A).T
b@linalg.solve(A, x)         | A | -outer(linalg.solve(A.T, b), linalg.solve(A, x))
b@linalg.solve(A, x)         | x | linalg.solve(A.T, b)
trace(linalg.solve(A, B))    | B | linalg.solve(A.T, eye(3))
matrix_power(A, 2)@x@b       | A | outer(b, x)@A.T + A.T@outer(b, x)
trace(matrix_power(A, 3))    | A | 3*matrix_power(A.T, 2)
linalg.eigvalsh(A)@b         | A | linalg.eigh(A)[1] * b @ linalg.eigh(A)[1].T
trace(matrix_power(A, 1))    | A | eye(3)
""".strip().splitlines()


@pytest.mark.parametrize("line", GOLDEN)
def test_formula(derive, line):
    source, name, text = (part.strip() for part in line.split(" | "))
    given = values("33 33") | {"x": torch.randn(3), "b": torch.randn(3), "X": torch.randn(4, 3)}
    if "eigvalsh" in source or "logdet(A)" in source:
        given["A"] = given["A"] @ given["A"].T
    found = derive(source, **given)[name]
    assert found.text == text
    assert found.agrees, (found.value, found.gradient)


REASONS = {
    "matrix_power(A, 12)": "matrix_power to the 12 has no short formula: it is a sum of 12 products",
    "linalg.lstsq(A, A[:, 0])[0]": "lstsq has a short formula for the solution alone, of matrices",
    "linalg.svd(A)[0]": "the singular vectors of svd have no short formula: they hang on each other",
    "linalg.svd(A[:2])[1]": "svd with all singular vectors has no short formula",
    "linalg.qr(A[:2])[1]": "qr has a short formula for tall matrices alone, in the reduced form",
    "linalg.lu(A[:2])[1]": "lu has a short formula for square matrices alone, with pivots",
    "matrix_exp(A[None])": "matrix_exp of a stack of matrices has no short formula",
}


@pytest.mark.parametrize("source", REASONS)
def test_reasons(derive, source):
    assert derive(source, **values("33"))["A"].derivative.reason == REASONS[source]


SECOND = (
    """
logdet(A) | det(A) | b@linalg.inv(A)@x | b@linalg.solve(A, x) | matrix_power(A, 3).sum() | matrix_exp(A).sum()
linalg.cholesky(A@A.T).sum() | linalg.eigvalsh(A + A.T)@x | linalg.pinv(A[:2]).sum() | norm(A)**2
""".strip()
    .replace("\n", " | ")
    .split(" | ")
)


@pytest.mark.parametrize("source", SECOND)
def test_a_formula_can_be_differentiated_again(derive, source):
    given = values("33") | {"x": torch.randn(3), "b": torch.randn(3)}
    first = derive(source, **given)["A"]
    again = derive(f"sin({first.text}).sum()", **given)["A"]
    assert again.agrees, (first.text, again.text, again.derivative.reason)
