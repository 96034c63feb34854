"""Linear algebra: norms, determinants, inverses, solutions, decompositions; and Fourier transforms."""

from functools import partial
from typing import Any

from autograd_cli.lang.functions.rows import Function, Kind, row

_row = partial(row, kind=Kind.LINALG)
_function = partial(_row, method=False)

SQUARE = "invertible square matrices"
FULL = "matrices of full rank"
SYMMETRIC = "symmetric matrices with distinct eigenvalues"
POSITIVE = "symmetric matrices with positive eigenvalues"
DISTINCT = "matrices with distinct singular values, none 0"
RANK = "(input, tol: number = None, hermitian: flag = False, *, atol: number = None, rtol: number = None)"
AXES = ", dim: dim = None, keepdim: flag = False, *, dtype: dtype = None)"
ONE_AXIS = "(input, n: size = None, dim: dim = -1, norm: text = None)"
TWO_AXES = "(input, s: size = None, dim: dim = (-2, -1), norm: text = None)"
ALL_AXES = "(input, s: size = None, dim: dim = None, norm: text = None)"
M, N = "[[1.5,-0.3],[0.2,2.5]]", "[[0.7,1.1],[-0.4,0.9]]"
W = "[[1.5,-0.3,0.7],[0.2,2.5,-1.1]]"
V, U = "[1.5,-0.3,0.7]", "[0.2,2.5,-1.1]"
GOOD = "x @ x.T"


def _of(
    name: str, meaning: str, example: str, signature: str, domain: str, x: str = M, **more: Any
) -> Function:
    """A row of torch.linalg: its name, meaning, example, signature and domain."""
    return _function(
        f"torch.linalg.{name}", meaning, f"linalg.{example}", signature=signature, domain=domain, x=x, **more
    )


def _fourier(name: str, meaning: str, example: str, signature: str) -> Function:
    """A row of torch.fft: its name, meaning, example and signature."""
    return _function(f"torch.fft.{name}", meaning, f"fft.{example}", signature=signature, x=W)


# fmt: off
SIZES = (
    _function("torch.linalg.norm", "the norm of a vector or a matrix", "linalg.norm(x)", key="linalg_norm",
              signature="(input, ord: number = None" + AXES, domain="not all elements 0", x=M),
    _of("vector_norm", "the norm of the elements as one vector", "vector_norm(x)",
        "(input, ord: number = 2" + AXES, "not all elements 0"),
    _of("matrix_norm", "the norm of matrices, Frobenius unless told", "matrix_norm(x)",
        "(input, ord: number = 'fro', dim: dim = (-2, -1), keepdim: flag = False, *, dtype: dtype = None)",
        "not all elements 0"),
    _of("det", "the determinant", "det(x)", "(A)", "square matrices"),
    _of("slogdet", "(sign, log of |det|)", "slogdet(x)[1]", "(A)", SQUARE),
    _of("cond", "the condition number", "cond(x)", "(input, p: number = None)", DISTINCT),
    _row("torch.det", "the determinant", "det(x)", domain="square matrices", x=M),
    _row("torch.logdet", "the logarithm of the determinant", "logdet(x)",
         domain="square matrices with det > 0", x=M),
    _row("torch.slogdet", "(sign, log of |det|)", "slogdet(x)[1]", domain=SQUARE, x=M),
    _row("torch.trace", "the sum of the diagonal", "trace(x)", domain="matrices", x=M),
    _function("torch.linalg.matrix_rank", "how many singular values are not 0", "linalg.matrix_rank(x)", x=M,
              signature=RANK,
              domain="an integer comes out: gradients end here", differentiable=False),
)

SOLUTIONS = (
    _of("inv", "the inverse", "inv(x)", "(A)", SQUARE),
    _of("pinv", "the pseudo-inverse", "pinv(x)",
        "(input, rcond: number = None, hermitian: flag = False, *, atol: number = None, rtol: number = None)",
        FULL, W),
    _of("solve", "the x with A @ x = B", "solve(x, y)", "(A, B, *, left: flag = True)", SQUARE, y=N),
    _of("solve_triangular", "the x with A @ x = B for a triangle A",
        "solve_triangular(triu(x), y, upper=True)",
        "(input, B, *, upper: flag, left: flag = True, unitriangular: flag = False)", "no 0 on the diagonal",
        y=N),
    _of("lstsq", "(solution, …): the x that brings A @ x nearest to B", "lstsq(x, y)[0]",
        "(input, b, rcond: number = None, *, driver: text = None)", FULL, y=N),
    _of("tensorinv", "the inverse of a tensor taken as a matrix", "tensorinv(x.view(2, 1, 2), ind=1)",
        "(input, ind: count = 2)", SQUARE),
    _of("tensorsolve", "the x with tensordot(A, x) = B", "tensorsolve(x, y)",
        "(input, other, dims: dim = None)", SQUARE, y="[0.4,-1.2]"),
    _row("torch.inverse", "the inverse", "inverse(x)", key="inv", domain=SQUARE, x=M),
    _row("torch.pinverse", "the pseudo-inverse", "pinverse(x)", signature="(input, rcond: number = 1e-15)",
         key="pinv", domain=FULL, x=W),
    _row("torch.cholesky_solve", "the x with A @ x = input, from the Cholesky factor of A", x=N, y=M,
         example="cholesky_solve(x, linalg.cholesky(y @ y.T))",
         signature="(input, input2, upper: flag = False)", domain=POSITIVE),
    _row("torch.cholesky_inverse", "the inverse of A, from its Cholesky factor",
         "cholesky_inverse(linalg.cholesky(x @ x.T))", signature="(input, upper: flag = False)",
         domain=POSITIVE, x=M),
)

DECOMPOSITIONS = (
    _of("cholesky", "the triangle L with L @ L.T = A", f"cholesky({GOOD})", "(input, *, upper: flag = False)",
        POSITIVE),
    _row("torch.cholesky", "the triangle L with L @ L.T = A", f"cholesky({GOOD})",
         signature="(input, upper: flag = False)", domain=POSITIVE, x=M),
    _of("qr", "(Q, R) with Q @ R = A, Q orthogonal and R a triangle", "qr(x)[1]",
        "(A, mode: text = 'reduced')", FULL),
    _of("eigvalsh", "the eigenvalues of a symmetric matrix, in order", f"eigvalsh({GOOD})",
        "(input, UPLO: text = 'L')", SYMMETRIC),
    _of("eigh", "(eigenvalues, eigenvectors) of a symmetric matrix", f"eigh({GOOD})[0]",
        "(input, UPLO: text = 'L')", SYMMETRIC),
    _of("eigvals", "the eigenvalues, complex", "eigvals(x).real", "(input)",
        "matrices with distinct eigenvalues"),
    _of("eig", "(eigenvalues, eigenvectors), complex", "eig(x)[0].real", "(input)",
        "matrices with distinct eigenvalues"),
    _of("svdvals", "the singular values, largest first", "svdvals(x)", "(A, *, driver: text = None)",
        DISTINCT, W),
    _of("svd", "(U, S, Vh) with U @ diag(S) @ Vh = A", "svd(x, full_matrices=False)[1]",
        "(A, full_matrices: flag = True, *, driver: text = None)", DISTINCT, W),
    _row("torch.svd", "(U, S, V) with U @ diag(S) @ V.T = input", "svd(x)[1]", domain=DISTINCT, x=W,
         key="torch_svd", signature="(input, some: flag = True, compute_uv: flag = True)"),
    _of("lu", "(P, L, U) with P @ L @ U = A", "lu(x)[2]", "(A, *, pivot: flag = True)", FULL),
    _of("lu_factor", "(LU, pivots), for lu_solve", "lu_factor(x)[0]", "(A, *, pivot: flag = True)", FULL),
)

POWERS = (
    _of("matrix_power", "the matrix times itself, n times", "matrix_power(x, 3)", "(input, n: count)",
        "square matrices"),
    _row("torch.matrix_power", "the matrix times itself, n times", "matrix_power(x, 3)",
         signature="(input, n: count)", domain="square matrices", x=M),
    _of("matrix_exp", "the exponential of a matrix", "matrix_exp(x)", "(input)", "square matrices"),
    _row("torch.matrix_exp", "the exponential of a matrix", "matrix_exp(x)", domain="square matrices", x=M),
    _of("multi_dot", "the product of several matrices, in the best order", "multi_dot([x, y, x])",
        "(tensors: tensors)", "shapes that multiply", y=N),
    _of("cross", "the vector at right angles to both", "cross(x, y)", "(input, other, *, dim: dim = -1)",
        "three elements along dim", V, y=U, key="linalg_cross"),
    _of("vecdot", "sums of products along dim", "vecdot(x, y)", "(x, y, *, dim: dim = -1)", "any real", V,
        y=U),
    _of("diagonal", "the diagonal of each matrix", "diagonal(x)",
        "(A, *, offset: dim = 0, dim1: dim = -2, dim2: dim = -1)", "any real", key="linalg_diagonal"),
    _of("vander", "the powers of x as columns", "vander(x)", "(x, *, N: count = None)", "any real", V),
)

FOURIER = (
    _fourier("fft", "the waves of a line", "fft(x).abs()", ONE_AXIS),
    _fourier("ifft", "a line from its waves", "ifft(x).abs()", ONE_AXIS),
    _fourier("rfft", "the waves of a real line, without the mirrored half", "rfft(x).real", ONE_AXIS),
    _fourier("irfft", "a real line from half its waves", "irfft(x)", ONE_AXIS),
    _fourier("hfft", "the real waves of half a mirrored line", "hfft(x)", ONE_AXIS),
    _fourier("ihfft", "half a mirrored line from its real waves", "ihfft(x).real", ONE_AXIS),
    _fourier("fft2", "the waves of a plane", "fft2(x).real", TWO_AXES),
    _fourier("ifft2", "a plane from its waves", "ifft2(x).real", TWO_AXES),
    _fourier("rfft2", "the waves of a real plane, without the mirrored half", "rfft2(x).real", TWO_AXES),
    _fourier("irfft2", "a real plane from half its waves", "irfft2(x)", TWO_AXES),
    _fourier("fftn", "the waves along all dims", "fftn(x).real", ALL_AXES),
    _fourier("ifftn", "the elements from their waves along all dims", "ifftn(x).real", ALL_AXES),
    _fourier("fftshift", "with frequency 0 moved to the middle", "fftshift(x)", "(input, dim: dim = None)"),
    _fourier("ifftshift", "with frequency 0 moved back to the start", "ifftshift(x)",
             "(input, dim: dim = None)"),
)
# fmt: on

ROWS = (*SIZES, *SOLUTIONS, *DECOMPOSITIONS, *POWERS, *FOURIER)
