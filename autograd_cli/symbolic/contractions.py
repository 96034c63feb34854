"""Rules of contractions: sums of products by letters for the dims, as einsum writes them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_letters
from typing import Any

from autograd_cli.lang.nodes import Expr
from autograd_cli.report.values import shape_text
from autograd_cli.symbolic.build import call as calling, method
from autograd_cli.symbolic.matrices import chain, turned
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, one_by_one, plain
from autograd_cli.symbolic.terms import ONE, Shape, Term, factor_term
from autograd_cli.symbolic.texts import Contributions
from autograd_cli.symbolic.values import Value, as_dim, mapped, split


@dataclass(frozen=True)
class Part:
    """A factor of a contraction, with a letter for each of its dims."""

    letters: str
    expr: Expr
    shape: Shape


def _sizes(parts: Sequence[Part]) -> dict[str, int]:
    """The size of each letter; NoRuleError where a size of 1 is stretched."""
    sizes: dict[str, int] = {}
    for part in parts:
        for letter, size in zip(part.letters, part.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise NoRuleError("a contraction that stretches a dim of size 1 has no derivative rule yet")
    return sizes


def contracted(parts: Sequence[Part], out: str) -> Term:
    """The sum of products over the letters that are not in `out`: `A@B`, `outer`, a sum, else einsum."""
    shape = tuple(_sizes(parts)[letter] for letter in out)
    if not parts:
        return ONE
    if len(parts) == 1:
        return _of_one(parts[0], out, shape)
    if len(parts) == 2:
        made = _of_two(parts[0], parts[1], out)
        if made is not None:
            return made
    equation = f"{','.join(p.letters for p in parts)}->{out}"
    return factor_term(calling("einsum", equation, *(p.expr for p in parts)), shape)


def _of_one(part: Part, out: str, shape: Shape) -> Term:
    if part.letters == out:
        return factor_term(part.expr, shape)
    if part.letters == out[::-1] and len(out) == 2:
        return factor_term(turned(part.expr, 2), shape)
    gone = [i for i, letter in enumerate(part.letters) if letter not in out]
    if gone and "".join(letter for letter in part.letters if letter in out) == out:
        summed = method(part.expr, "sum", *((as_dim(gone),) if out else ()))
        return factor_term(summed, shape, f"{shape_text(part.shape)} summed")
    return factor_term(calling("einsum", f"{part.letters}->{out}", part.expr), shape)


def _of_two(a: Part, b: Part, out: str) -> Term | None:
    """Two matrices or vectors that share one letter, or two vectors that share none."""
    shared = set(a.letters) & set(b.letters)
    if any(not 1 <= len(set(p.letters)) == len(p.letters) <= 2 for p in (a, b)):
        return None
    if not shared and len(out) == len(a.letters) + len(b.letters) == 2:
        first, second = (a, b) if out == a.letters + b.letters else (b, a)
        return factor_term(calling("outer", first.expr, second.expr), first.shape + second.shape)
    rest = [p.letters.translate(dict.fromkeys(map(ord, shared))) for p in (a, b)]
    if len(shared) != 1 or sorted(out) != sorted(rest[0] + rest[1]) or shared & set(out):
        return None
    (letter,) = shared
    left, right = (a, b) if out == rest[0] + rest[1] else (b, a)
    if len(left.letters) == 1 < len(right.letters):
        left, right = right, left
    left = left if left.letters[-1] == letter else _flipped(left)
    right = right if right.letters[0] == letter else _flipped(right)
    return chain(left.expr, left.shape, right.expr, right.shape)


def _flipped(matrix: Part) -> Part:
    return Part(matrix.letters[::-1], turned(matrix.expr, 2), matrix.shape[::-1])


def pulled_back(g: Value, parts: Sequence[Part], out: str) -> list[Value]:
    """What the sum of products `parts -> out` passes to each factor."""
    return [_to_one(g, parts, out, i) for i in range(len(parts))]


def _to_one(g: Value, parts: Sequence[Part], out: str, index: int) -> Value:
    others = [*parts[:index], *parts[index + 1 :]]
    mine, diagonals = _apart(parts[index], out + "".join(p.letters for p in parts))
    scalars = g.single()
    if out and g.natural != ():
        scalars, expr = split(g)
        others.insert(index, Part(out, expr, g.shape))
    others += diagonals
    present = [letter for letter in mine.letters if any(letter in other.letters for other in others)]
    made = contracted(others, "".join(present)) if others else ONE
    missing = [i for i, letter in enumerate(mine.letters) if letter not in present]
    if present:
        made = _grown(made, missing, len(mine.letters))
    return Value((scalars.times(made),), mine.shape)


def _apart(part: Part, used: str) -> tuple[Part, list[Part]]:
    """The factor with a letter of its own for each dim, and an identity for each that it had twice."""
    letters, identities = "", []
    for letter, size in zip(part.letters, part.shape, strict=True):
        new = letter
        if letter in letters:
            new = next(free for free in ascii_letters if free not in letters + used)
            identities.append(Part(letter + new, calling("eye", size), (size, size)))
        letters += new
    return Part(letters, part.expr, part.shape), identities


def _grown(made: Term, missing: Sequence[int], rank: int) -> Term:
    """The term with a dim of size 1 at each place where the factor has a letter of its own."""
    inside = [i for i in missing if i > min(d for d in range(rank) if d not in missing)]
    if not inside:
        return made
    expr, shape = made.written(), made.shape
    first = rank - len(shape) - len(inside)
    for dim in inside:
        place = dim - first
        expr, shape = method(expr, "unsqueeze", place), (*shape[:place], 1, *shape[place:])
    return factor_term(expr, shape)


def _passed(g: Value, operands: Sequence[Operand], names: Sequence[str], out: str) -> Contributions:
    """The contributions of a contraction whose factors have these letters."""
    parts = [Part(letters, o.expr, o.shape) for letters, o in zip(names, operands, strict=True)]
    _sizes(parts)
    return list(zip(operands, pulled_back(g, parts, out), strict=True))


def einsum(call: Call, g: Value, equation: Any, *given: Any) -> Contributions:
    """einsum: for each factor the einsum of G and the others."""
    operands = one_by_one(given)
    names, out = _lettered(plain(equation).replace(" ", ""), operands)
    return _passed(g, operands, names, out)


def _lettered(equation: str, operands: Sequence[Operand]) -> tuple[list[str], str]:
    """The letters of each operand and of the result, those that `...` stands for written out."""
    left, arrow, out = equation.partition("->")
    names = left.split(",")
    free = [letter for letter in ascii_letters if letter not in equation]
    ranks = [len(o.shape) - len(n.replace("...", "")) for n, o in zip(names, operands, strict=True)]
    most = max((r for r, n in zip(ranks, names, strict=True) if "..." in n), default=0)
    batch = "".join(free[:most])
    named = [n.replace("...", batch[most - r :]) for n, r in zip(names, ranks, strict=True)]
    if arrow:
        return named, out.replace("...", batch)
    once = [letter for letter in sorted(left.replace(",", "").replace(".", "")) if left.count(letter) == 1]
    return named, batch + "".join(once)


def tensordot(call: Call, g: Value, a: Operand, b: Operand, dims: Any = 2) -> Contributions:
    """tensordot: sums of products along pairs of dims."""
    chosen = plain(dims)
    if isinstance(chosen, int):
        chosen = (tuple(range(len(a.shape) - chosen, len(a.shape))), tuple(range(chosen)))
    pairs = [(i % len(a.shape), j % len(b.shape)) for i, j in zip(*map(_listed, chosen), strict=True)]
    first = ascii_letters[: len(a.shape)]
    second = list(ascii_letters[len(a.shape) :][: len(b.shape)])
    for i, j in pairs:
        second[j] = first[i]
    summed = {first[i] for i, _ in pairs}
    out = "".join(letter for letter in (*first, *second) if letter not in summed)
    return _passed(g, (a, b), (first, "".join(second)), out)


def _listed(dims: Any) -> tuple[int, ...]:
    return (dims,) if isinstance(dims, int) else tuple(dims)


def inner(call: Call, g: Value, a: Operand, b: Operand) -> Contributions:
    """inner: sums of products along the last dims: G @ B and G.T @ A for matrices."""
    if not (a.shape and b.shape):
        return [(a, g.times(b.term, g.shape)), (b, g.times(a.term, g.shape))]
    return tensordot(call, g, a, b, ((-1,), (-1,)))


def bilinear(
    call: Call, g: Value, x: Operand, y: Operand, weight: Operand, bias: Any = None
) -> Contributions:
    """bilinear, x @ W[o] @ y for each o: einsum of G and the others."""
    batch = ascii_letters[: len(x.shape) - 1].upper()
    found = _passed(g, (x, weight, y), (batch + "i", "oij", batch + "j"), batch + "o")
    return found if bias is None else [*found, (bias, g)]


def kron(call: Call, g: Value, a: Operand, b: Operand) -> Contributions:
    """kron: G cut into blocks, and each block's or each place's sum of products with the other."""
    rank = len(call.out.shape)
    dims = [(o, d) for d in range(rank) for o in (a, b) if d >= rank - len(o.shape)]
    letters = {(o is a, d): ascii_letters[i] for i, (o, d) in enumerate(dims)}
    blocks = tuple(o.shape[d - rank] for o, d in dims)
    if g.natural != ():
        g = mapped(g, lambda expr: method(expr, "reshape", *(blocks or ((),))), blocks)
    names = ["".join(letters[o is a, d] for other, d in dims if other is o) for o in (a, b)]
    parts = [Part(name, o.expr, o.shape) for name, o in zip(names, (a, b), strict=True)]
    return list(zip((a, b), pulled_back(g.to(blocks), parts, "".join(letters.values())), strict=True))


RULES: dict[str, Callable[..., Contributions]] = {
    "einsum": einsum,
    "tensordot": tensordot,
    "inner": inner,
    "bilinear": bilinear,
    "kron": kron,
}
"""The rules of this file by key."""
