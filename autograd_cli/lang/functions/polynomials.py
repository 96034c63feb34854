"""Bessel and Airy functions and the orthogonal polynomials of torch.special: torch differentiates none."""

from functools import partial

from autograd_cli.lang.functions.rows import Function, Kind, row

_row = partial(row, kind=Kind.ELEMENTWISE, method=False, differentiable=False)

DOMAIN = "torch has no derivative for it"


def _one(name: str, meaning: str, argument: str = "input") -> Function:
    """A row for a function of one tensor: its name, its meaning, what torch calls the tensor."""
    return _row(
        f"torch.special.{name}",
        meaning,
        f"special.{name}(x)",
        signature=f"({argument})",
        domain=DOMAIN,
        x="[0.3,1.2]",
    )


def _order(name: str, whose: str) -> Function:
    """A row for a family of polynomials: its name, and whose they are."""
    return _row(
        f"torch.special.{name}",
        f"the {whose} polynomial of degree n at x",
        f"special.{name}(x, 3)",
        signature="(x, n: count)",
        domain=DOMAIN,
        x="[0.3,0.7]",
    )


# fmt: off
BESSEL = (
    _one("airy_ai", "the Airy function Ai", "x"),
    _one("bessel_y0", "the Bessel function of the second kind, of order 0"),
    _one("bessel_y1", "the Bessel function of the second kind, of order 1"),
    _one("modified_bessel_i0", "the modified Bessel function of the first kind, of order 0"),
    _one("modified_bessel_i1", "the modified Bessel function of the first kind, of order 1"),
    _one("modified_bessel_k0", "the modified Bessel function of the second kind, of order 0"),
    _one("modified_bessel_k1", "the modified Bessel function of the second kind, of order 1"),
    _one("scaled_modified_bessel_k0", "modified_bessel_k0(x) times exp(x)", "x"),
    _one("scaled_modified_bessel_k1", "modified_bessel_k1(x) times exp(x)", "x"),
    _one("spherical_bessel_j0", "sin(x) / x, the spherical Bessel function of order 0", "x"),
)

POLYNOMIALS = (
    _order("chebyshev_polynomial_t", "first Chebyshev"),
    _order("chebyshev_polynomial_u", "second Chebyshev"),
    _order("chebyshev_polynomial_v", "third Chebyshev"),
    _order("chebyshev_polynomial_w", "fourth Chebyshev"),
    _order("shifted_chebyshev_polynomial_t", "first Chebyshev, shifted to 0 … 1,"),
    _order("shifted_chebyshev_polynomial_u", "second Chebyshev, shifted to 0 … 1,"),
    _order("shifted_chebyshev_polynomial_v", "third Chebyshev, shifted to 0 … 1,"),
    _order("shifted_chebyshev_polynomial_w", "fourth Chebyshev, shifted to 0 … 1,"),
    _order("hermite_polynomial_h", "physicist's Hermite"),
    _order("hermite_polynomial_he", "probabilist's Hermite"),
    _order("laguerre_polynomial_l", "Laguerre"),
    _order("legendre_polynomial_p", "Legendre"),
)
# fmt: on

ROWS = BESSEL + POLYNOMIALS
