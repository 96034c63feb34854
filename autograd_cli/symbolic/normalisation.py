"""Rules of layers that bring their input to mean 0 and size 1: layer, batch, group and instance norm.

With N the normed input, h what arrives at it and s what N was divided by, the input gets
(h - mean(h) - N*mean(h*N))/s, the means taken where those of the layer were.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from autograd_cli.lang.nodes import Binary, Compare, Expr
from autograd_cli.symbolic.build import call as calling, literal, method
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, plain
from autograd_cli.symbolic.terms import Shape, Term, factor_term
from autograd_cli.symbolic.texts import Contributions, masked
from autograd_cli.symbolic.values import Value, as_dim, mapped, summed_along

EPS = 1e-05
_SHORTEST = 1e-12
"""The length up to which torch does not divide a vector by its own, unless it is told another."""


def average(value: Value, dims: Sequence[int]) -> Value:
    """The mean along `dims`, as `summed_along`."""
    missing, natural = len(value.shape) - len(value.natural), value.natural
    places = [d - missing for d in dims]
    if value.is_zero or any(d < 0 or natural[d] == 1 for d in places):
        count = Term(1, prod(value.shape[d] for d in dims))
        return summed_along(value, dims).times(count, value.shape)
    term = value.single()
    expr = term.body.written()
    if len(places) == len(natural):
        return Value((term.coefficient.times(factor_term(method(expr, "mean"), ())),), value.shape)
    kept = tuple(1 if d in places else n for d, n in enumerate(natural))
    made = factor_term(method(expr, "mean", as_dim(places), keepdim=True), kept)
    return Value((term.coefficient.times(made),), value.shape)


@dataclass(frozen=True)
class Norm:
    """What a layer does to its input: the dims it takes means along, its result, what it divides by.

    `centred` says that it takes the mean away as well.
    """

    x: Operand
    dims: tuple[int, ...]
    normed: Term
    size: Term
    centred: bool = True

    def by_input(self, h: Value) -> Value:
        """What the input gets of what arrives at the normed one."""
        shape = self.x.shape
        made = h
        if self.centred:
            made = made.plus(self._mean(h).times(Term(-1), shape))
        along = self._mean(h.times(self.normed, shape))
        made = made.plus(along.times(Term(-1).times(self.normed), shape))
        return made.times(self.size.power(-1), shape)

    def _mean(self, value: Value) -> Value:
        return average(value, self.dims).to(self.x.shape)


def _deviation(x: Operand, dims: tuple[int, ...], eps: Any) -> Term:
    """sqrt(var(x) + eps), to be stretched over x."""
    variance = calling("var", x.expr, as_dim(dims), correction=0, keepdim=True)
    shape = tuple(1 if d in dims else n for d, n in enumerate(x.shape))
    return factor_term(calling("sqrt", _with(variance, eps)), shape)


def _with(expr: Expr, eps: Any) -> Expr:
    return Binary("+", expr, literal(plain(eps))) if eps is not None else expr


def _last(x: Operand, normalized_shape: Any) -> tuple[int, ...]:
    """The last dims, as many as the layer norms over."""
    sizes = plain(normalized_shape)
    count = len(sizes) if isinstance(sizes, tuple) else 1
    return tuple(range(len(x.shape) - count, len(x.shape)))


def layer_norm(
    call: Call, g: Value, x: Operand, shape: Any, weight: Any = None, bias: Any = None, eps: Any = EPS
) -> Contributions:
    """layer_norm: over the last dims."""
    dims = _last(x, shape)
    sizes = x.shape[dims[0] :]
    given = {} if plain(eps) == EPS else {"eps": plain(eps)}
    normed = factor_term(calling("F.layer_norm", x.expr, sizes, **given), x.shape)
    return _affinely(g, Norm(x, dims, normed, _deviation(x, dims, eps)), weight, bias)


def _affinely(g: Value, norm: Norm, weight: Any, bias: Any) -> Contributions:
    """The contributions of a layer with a weight and a bias for each element of the last dims."""
    found: Contributions = [(bias, g)] if isinstance(bias, Operand) else []
    h = g
    if isinstance(weight, Operand):
        found.append((weight, g.times(norm.normed, g.shape)))
        h = g.times(weight.term, g.shape)
    return [(norm.x, norm.by_input(h)), *found]


def rms_norm(
    call: Call, g: Value, x: Operand, shape: Any, weight: Any = None, eps: Any = None
) -> Contributions:
    """rms_norm: as layer_norm, without the means taken away; eps is said of every step that a run made."""
    dims = _last(x, shape)
    given = {} if plain(eps) is None else {"eps": plain(eps)}
    normed = factor_term(calling("F.rms_norm", x.expr, x.shape[dims[0] :], **given), x.shape)
    squares = calling("mean", Binary("**", x.expr, literal(2)), as_dim(dims), keepdim=True)
    kept = tuple(1 if d in dims else n for d, n in enumerate(x.shape))
    size = factor_term(calling("sqrt", _with(squares, plain(eps))), kept)
    return _affinely(g, Norm(x, dims, normed, size, centred=False), weight, None)


def _by_channel(vector: Operand, rank: int) -> Term:
    """A number for each channel, upright so that it is stretched over what comes behind."""
    behind = rank - 2
    if behind <= 0:
        return vector.term
    expr = method(vector.expr, "reshape", -1, *[1] * behind)
    return factor_term(expr, (*vector.shape, *[1] * behind))


def _channelled(g: Value, normed: Term, x: Operand, weight: Any, bias: Any) -> tuple[Value, Contributions]:
    """What arrives at the normed input, and what a weight and a bias for each channel get."""
    found: Contributions = []
    if isinstance(bias, Operand):
        found.append((bias, _channel_sum(g, bias.shape)))
    if isinstance(weight, Operand):
        found.append((weight, _channel_sum(g.times(normed, x.shape), weight.shape)))
        g = g.times(_by_channel(weight, len(x.shape)), x.shape)
    return g, found


def _channel_sum(value: Value, shape: Shape) -> Value:
    """The sum over all dims but the second."""
    gone = [d for d in range(len(value.shape)) if d != 1]
    if value.natural == ():
        return value.times(Term(prod(value.shape[d] for d in gone)), shape)
    return mapped(value, lambda e: method(e, "sum", as_dim(gone)), shape)


def batch_norm(
    call: Call,
    g: Value,
    x: Operand,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: Any = False,
    momentum: Any = 0.1,
    eps: Any = EPS,
) -> Contributions:
    """batch_norm: over all but the channels; by what was noted of them where it is not training."""
    given = {} if plain(eps) == EPS else {"eps": plain(eps)}
    if plain(training):
        dims = tuple(d for d in range(len(x.shape)) if d != 1)
        made = calling("F.batch_norm", x.expr, None, None, training=True, **given)
        norm = Norm(x, dims, factor_term(made, x.shape), _deviation(x, dims, eps))
        h, found = _channelled(g, norm.normed, x, weight, bias)
        return [(x, norm.by_input(h)), *found]
    normed = calling("F.batch_norm", x.expr, running_mean.expr, running_var.expr, **given)
    h, found = _channelled(g, factor_term(normed, x.shape), x, weight, bias)
    spread = calling("sqrt", _with(_by_channel(running_var, len(x.shape)).written(), eps))
    behind = (1,) * max(0, len(x.shape) - 2)
    return [(x, h.times(factor_term(spread, (*running_var.shape, *behind)).power(-1), x.shape)), *found]


def group_norm(
    call: Call, g: Value, x: Operand, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = EPS
) -> Contributions:
    """group_norm: over the channels of each group and all that is behind."""
    return _in_groups(g, x, plain(num_groups), weight, bias, eps)


def instance_norm(
    call: Call,
    g: Value,
    x: Operand,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: Any = True,
    momentum: Any = 0.1,
    eps: Any = EPS,
) -> Contributions:
    """instance_norm: over all that is behind each channel."""
    if not plain(use_input_stats):
        raise NoRuleError(f"{call.name} by what was noted before has no short formula")
    return _in_groups(g, x, x.shape[1], weight, bias, eps)


def _in_groups(g: Value, x: Operand, groups: int, weight: Any, bias: Any, eps: Any) -> Contributions:
    given = {} if plain(eps) == EPS else {"eps": plain(eps)}
    normed = calling("F.group_norm", x.expr, groups, **given)
    h, found = _channelled(g, factor_term(normed, x.shape), x, weight, bias)
    if groups == x.shape[1]:
        dims = tuple(range(2, len(x.shape)))
        norm = Norm(x, dims, factor_term(normed, x.shape), _deviation(x, dims, eps))
        return [(x, norm.by_input(h)), *found]
    shape = (x.shape[0], groups, prod(x.shape[1:]) // groups)
    rows = Operand(method(x.expr, "reshape", *shape), shape, factor_term(x.expr, shape))
    normed_rows = factor_term(method(normed, "reshape", *shape), shape)
    norm = Norm(rows, (2,), normed_rows, _deviation(rows, (2,), eps))
    h = h.to(shape) if h.natural == () else mapped(h, lambda e: method(e, "reshape", *shape), shape)
    made = norm.by_input(h)
    if made.is_zero:
        return [(x, made.to(x.shape)), *found]
    return [(x, mapped(made, lambda e: method(e, "reshape", *x.shape), x.shape)), *found]


def normalize(
    call: Call, g: Value, x: Operand, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12
) -> Contributions:
    """normalize, N = x/norm(x): (G - N*(G*N).sum())/norm(x); G/eps where torch's bound eps is the divisor."""
    if plain(p) != 2:
        raise NoRuleError(f"{call.name} with p = {plain(p)} has no short formula")
    if not x.shape:
        raise NoRuleError(f"{call.name} of a single number has no short formula")
    axes = plain(dim)
    dims = tuple(sorted(d % len(x.shape) for d in (axes if isinstance(axes, tuple) else (axes,))))
    normed = call.out.term
    along = summed_along(g.times(normed, x.shape), dims)
    length = calling("linalg.vector_norm", x.expr, dim=as_dim(dims), keepdim=True)
    kept = tuple(1 if d in dims else n for d, n in enumerate(x.shape))
    if plain(eps) > _SHORTEST:
        beyond = factor_term(Compare((">=",), (length, literal(plain(eps)))), kept)
        along = masked(beyond, along, keep=True)
    inside = g.plus(along.times(Term(-1).times(normed), x.shape))
    bounded = calling("clamp_min", length, plain(eps))
    return [(x, inside.times(factor_term(bounded, kept).power(-1), x.shape))]


RULES: dict[str, Callable[..., Contributions]] = {
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "batch_norm": batch_norm,
    "group_norm": group_norm,
    "instance_norm": instance_norm,
    "normalize": normalize,
}
"""The rules of this file by key."""
