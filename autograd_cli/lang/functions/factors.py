"""Matrices in factors: what makes them, what solves with them, and the forms that report an `info`."""

from functools import partial
from typing import Any

from autograd_cli.lang.functions.rows import Function, Kind, row

_row = partial(row, kind=Kind.LINALG)
_function = partial(_row, method=False)

SQUARE = "invertible square matrices"
FULL = "matrices of full rank"
POSITIVE = "symmetric matrices with positive eigenvalues"
DISTINCT = "matrices with distinct singular values, none 0"
TRIANGLE = "(input, A, upper: flag = True, transpose: flag = False, unitriangular: flag = False)"
CHECK = "check_errors: flag = False)"
M, N = "[[1.5,-0.3],[0.2,2.5]]", "[[0.7,1.1],[-0.4,0.9]]"
W = "[[1.5,-0.3],[0.2,2.5],[0.7,-1.1]]"
TAU = "[0.4,0.9]"
NONE = "torch has no derivative for it"


def _of(
    name: str, meaning: str, example: str, signature: str, domain: str, x: str = M, **more: Any
) -> Function:
    """A row of torch.linalg: its name, meaning, example, signature and domain."""
    return _function(
        f"torch.linalg.{name}", meaning, f"linalg.{example}", signature=signature, domain=domain, x=x, **more
    )


# fmt: off
CHECKED = (
    _of("cholesky_ex", "(L, info): cholesky, that reports where it failed", "cholesky_ex(x @ x.T)[0]",
        f"(input, *, upper: flag = False, {CHECK}", POSITIVE),
    _of("inv_ex", "(inverse, info): inv, that reports where it failed", "inv_ex(x)[0]", f"(A, *, {CHECK}",
        SQUARE),
    _of("solve_ex", "(result, info): solve, that reports where it failed", "solve_ex(x, y)[0]",
        f"(A, B, *, left: flag = True, {CHECK}", SQUARE, y=N),
    _of("lu_factor_ex", "(LU, pivots, info): lu_factor, that reports where it failed", "lu_factor_ex(x)[0]",
        f"(A, *, pivot: flag = True, {CHECK}", FULL),
    _of("ldl_factor", "(LD, pivots) of a symmetric matrix, for ldl_solve", "ldl_factor(x.detach())[0]",
        "(input, *, hermitian: flag = False)", NONE, differentiable=False),
    _of("ldl_factor_ex", "(LD, pivots, info): ldl_factor, that reports where it failed",
        "ldl_factor_ex(x.detach())[0]", f"(input, *, hermitian: flag = False, {CHECK}", NONE,
        differentiable=False),
)

SOLVED = (
    _of("lu_solve", "the x with A @ x = B, from lu_factor's LU and pivots",
        "lu_solve(x, tensor([1,2], dtype=int32), y)",
        "(LU, pivots: index, B, *, left: flag = True, adjoint: flag = False)", SQUARE, y=N),
    _of("ldl_solve", "the x with A @ x = B, from ldl_factor's LD and pivots",
        "ldl_solve(x.detach(), tensor([1,2], dtype=int32), x.detach())",
        "(LD, pivots: index, B, *, hermitian: flag = False)", NONE, differentiable=False),
    _row("torch.lu_solve", "the x with A @ x = input, from lu_factor's LU and pivots",
         "lu_solve(x, y, tensor([1,2], dtype=int32))", domain=SQUARE, key="torch_lu_solve",
         signature="(input, LU_data, LU_pivots: index)", x=N, y=M),
    _row("torch.triangular_solve", "(solution, a copy of A): the x with A @ x = input for a triangle A",
         "triangular_solve(x, y)[0]", signature=TRIANGLE, domain="no 0 on the diagonal", x=N, y=M),
)

FACTORS = (
    _function("torch.lu_unpack", "(P, L, U) of lu_factor's LU and pivots",
              "lu_unpack(x, tensor([1,2], dtype=int32))[2]", domain=FULL, x=M,
              signature="(LU_data, LU_pivots: index, unpack_data: flag = True,"
                        " unpack_pivots: flag = True)"),
    _row("torch.lu", "(LU, pivots), and info where get_infos says so", "torch.lu(x)[0]", domain=FULL, x=M,
         key="torch_lu", signature="(A, pivot: flag = True, get_infos: flag = False)",
         method_signature="(input, pivot: flag = True, get_infos: flag = False)"),
    _row("torch.qr", "(Q, R) with Q @ R = input, Q orthogonal and R a triangle", "qr(x)[1]",
         signature="(input, some: flag = True)", domain=FULL, key="torch_qr", x=M),
    _row("torch.geqrf", "(a, tau): the QR factors as LAPACK packs them", "geqrf(x.detach())[0]", domain=NONE,
         differentiable=False, x=M),
    _of("householder_product", "the Q that LAPACK's packed factors stand for", "householder_product(x, t)",
        "(input, tau)", "as many columns as tau has elements", W, t=TAU),
    _row("torch.orgqr", "the Q that LAPACK's packed factors stand for", "orgqr(x, t)",
         signature="(input, input2)", key="householder_product", domain="as many columns as tau has elements",
         x=W, t=TAU),
    _row("torch.ormqr", "the Q of packed factors times input3", "ormqr(x, t, y)",
         signature="(input, input2, input3, left: flag = True, transpose: flag = False)",
         domain="as many columns as tau has elements", x=M, t=TAU, y=N),
    _function("torch.svd_lowrank", "(U, S, V) of the q largest singular values, from random directions",
              "torch.svd_lowrank(x, 2)[1]", domain=DISTINCT, draws=True, x=M,
              signature="(A, q: count = 6, niter: count = 2, M = None)"),
    _function("torch.pca_lowrank", "(U, S, V) of the q main directions, from random ones",
              "torch.pca_lowrank(x, 2)[1]", domain=DISTINCT, draws=True, x=W,
              signature="(A, q: count = None, center: flag = True, niter: count = 2)"),
)
# fmt: on

ROWS = CHECKED + SOLVED + FACTORS
