"""Rules of convolutions and of what moves windows: each is the adjoint of another function of torch.

What a convolution passes to its input is the transposed convolution of the cotangent, and the
other way round; what it passes to its weight is the convolution of the input with the cotangent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from autograd_cli.lang.nodes import Expr
from autograd_cli.symbolic.build import call as calling, method
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, plain
from autograd_cli.symbolic.terms import Shape, Term, factor_term
from autograd_cli.symbolic.texts import Contributions
from autograd_cli.symbolic.values import Value, as_dim, mapped, split

Rule = Callable[..., Contributions]


def each(value: Any, dims: int) -> Shape:
    """A size for each of the dims that a window moves along."""
    given = plain(value)
    if isinstance(given, tuple) and len(given) == 1:
        given = given[0]
    return given if isinstance(given, tuple) else (given,) * dims


def _short(sizes: Sequence[int]) -> Any:
    """Sizes as they are written: one number where all are equal."""
    return sizes[0] if len(set(sizes)) == 1 else tuple(sizes)


@dataclass(frozen=True)
class Window:
    """How a window moves: its size, steps, and what is put around the input, a number a dim."""

    size: Shape
    stride: Shape
    padding: Shape
    dilation: Shape
    groups: int = 1

    @property
    def dims(self) -> int:
        """The number of dims along which it moves."""
        return len(self.size)

    def left_over(self, whole: Shape, places: Shape) -> Shape:
        """The elements at the end that no window reaches."""
        reached = zip(whole, places, self.size, self.stride, self.padding, self.dilation, strict=True)
        return tuple(n - ((m - 1) * s - 2 * p + d * (k - 1) + 1) for n, m, k, s, p, d in reached)

    def options(self, swapped: bool = False, **more: Any) -> dict[str, Any]:
        """The keywords of a call; `swapped` puts stride for dilation and the other way round."""
        stride, dilation = (self.dilation, self.stride) if swapped else (self.stride, self.dilation)
        given: dict[str, Any] = {}
        given |= {"stride": _short(stride)} if set(stride) != {1} else {}
        given |= {"padding": _short(self.padding)} if set(self.padding) != {0} else {}
        given |= {"output_padding": _short(more["over"])} if set(more.get("over", (0,))) != {0} else {}
        given |= {"groups": self.groups} if self.groups != 1 and not swapped else {}
        return given | ({"dilation": _short(dilation)} if set(dilation) != {1} else {})


def _window(weight: Operand, stride: Any, padding: Any, dilation: Any, groups: Any, name: str = "") -> Window:
    size = weight.shape[2:]
    steps, apart = each(stride, len(size)), each(dilation, len(size))
    around = plain(padding)
    if around == "same":
        spans = [d * (k - 1) for d, k in zip(apart, size, strict=True)]
        if any(span % 2 for span in spans):
            raise NoRuleError(f"{name} that puts more at one end than at the other has no short formula")
        around = tuple(span // 2 for span in spans)
    return Window(size, steps, each(0 if around == "valid" else around, len(size)), apart, plain(groups))


def convolution(dims: int) -> Rule:
    """conv: conv_transpose of G with W, and conv of X with G, batch and channels exchanged."""

    def rule(
        call: Call,
        g: Value,
        x: Operand,
        weight: Operand,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: Any = 1,
    ) -> Contributions:
        window = _window(weight, stride, padding, dilation, groups, call.name)
        over = window.left_over(x.shape[-dims:], g.shape[-dims:])
        transposed = f"F.conv_transpose{dims}d"
        found: Contributions = []
        if x.active:
            options = window.options(over=over)
            found.append((x, mapped(g, lambda e: calling(transposed, e, weight.expr, **options), x.shape)))
        if weight.active:
            one, other = _Batch(x.expr, x.shape, dims), _Batch(split(g)[1], g.shape, dims)
            longer = window.size if any(over) else ()
            found.append((weight, _by_weight(call, g, one, other, window, weight, longer)))
        return [*found, *_by_bias(g, bias, dims)]

    return rule


def transposed_convolution(dims: int) -> Rule:
    """conv_transpose: conv of G with W, and conv of G with X, batch and channels exchanged."""

    def rule(
        call: Call,
        g: Value,
        x: Operand,
        weight: Operand,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: Any = 1,
        dilation: Any = 1,
    ) -> Contributions:
        window = _window(weight, stride, padding, dilation, groups)
        found: Contributions = []
        if x.active:
            options = window.options()
            found.append(
                (x, mapped(g, lambda e: calling(f"F.conv{dims}d", e, weight.expr, **options), x.shape))
            )
        if weight.active:
            one, other = _Batch(split(g)[1], g.shape, dims), _Batch(x.expr, x.shape, dims)
            longer = window.size if any(each(output_padding, dims)) else ()
            found.append((weight, _by_weight(call, g, one, other, window, weight, longer)))
        return [*found, *_by_bias(g, bias, dims)]

    return rule


@dataclass(frozen=True)
class _Batch:
    """A batch of signals of several channels, or one without the dim of the batch."""

    expr: Expr
    shape: Shape
    dims: int

    @property
    def exchanged(self) -> Expr:
        """With channels first, and the batch as the channels."""
        if len(self.shape) == self.dims + 1:
            return method(self.expr, "unsqueeze", 1)
        return method(self.expr, "transpose", 0, 1)


def _by_weight(
    call: Call, g: Value, one: _Batch, other: _Batch, window: Window, weight: Operand, longer: Shape
) -> Value:
    """The convolution of the longer signal with the shorter one, as long as the weight is."""
    if window.groups != 1:
        raise NoRuleError(f"the weight of {call.name} in groups has no short formula")
    options = window.options(swapped=True)
    made = calling(f"F.conv{window.dims}d", one.exchanged, other.exchanged, **options)
    made = method(made, "transpose", 0, 1)
    for dim, size in enumerate(longer, 2):
        made = method(made, "narrow", dim, 0, size)
    return Value((split(g)[0].times(factor_term(made, weight.shape)),), weight.shape)


def _by_bias(g: Value, bias: Any, dims: int) -> Contributions:
    """The sum over all but the channels."""
    if not isinstance(bias, Operand) or not bias.active:
        return []
    gone = tuple(d for d in range(len(g.shape)) if d != len(g.shape) - dims - 1)
    if g.natural == ():
        return [(bias, g.times(Term(prod(g.shape[d] for d in gone)), bias.shape))]
    return [(bias, mapped(g, lambda e: method(e, "sum", as_dim(gone)), bias.shape))]


def average_pool(dims: int) -> Rule:
    """avg_pool: conv_transpose of G with a kernel of ones, channel by channel, over their number."""

    def rule(
        call: Call,
        g: Value,
        x: Operand,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: Any = False,
        count_include_pad: Any = True,
        divisor_override: Any = None,
    ) -> Contributions:
        size = each(kernel_size, dims)
        step = size if plain(stride) in (None, ()) else each(stride, dims)
        window = Window(size, step, each(padding, dims), (1,) * dims, x.shape[-dims - 1])
        if set(window.padding) != {0} and not plain(count_include_pad):
            raise NoRuleError(f"{call.name} that does not count what is put around has no short formula")
        if min(window.left_over(x.shape[-dims:], g.shape[-dims:])) < 0:
            raise NoRuleError(f"{call.name} with windows that reach beyond the end has no short formula")
        count = plain(divisor_override) or prod(size)
        return [(x, _spread(g.times(Term(1, count), g.shape), x, window))]

    return rule


def _spread(share: Value, x: Operand, window: Window) -> Value:
    """Each share given to all elements of its window."""
    over = window.left_over(x.shape[-window.dims :], share.shape[-window.dims :])
    if share.natural == () and window.size == window.stride and not any(over + window.padding):
        return share.to(x.shape)
    ones = calling("ones", window.groups, 1, *window.size)
    name = f"F.conv_transpose{window.dims}d"
    return mapped(share, lambda e: calling(name, e, ones, **window.options(over=over)), x.shape)


def adaptive_average_pool(dims: int) -> Rule:
    """adaptive_avg_pool: as avg_pool, where the windows lie side by side."""

    def rule(call: Call, g: Value, x: Operand, output_size: Any) -> Contributions:
        whole, places = x.shape[-dims:], g.shape[-dims:]
        if any(n % m for n, m in zip(whole, places, strict=True)):
            raise NoRuleError(f"{call.name} with windows of different sizes has no short formula")
        size = tuple(n // m for n, m in zip(whole, places, strict=True))
        window = Window(size, size, (0,) * dims, (1,) * dims, x.shape[-dims - 1])
        return [(x, _spread(g.times(Term(1, prod(size)), g.shape), x, window))]

    return rule


def columns(
    call: Call, g: Value, x: Operand, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Contributions:
    """unfold: fold, which adds up the windows."""
    given = (x.shape[-2:], *map(plain, (kernel_size, dilation, padding, stride)))
    return [(x, mapped(g, lambda e: calling("F.fold", e, *_needed(given)), x.shape))]


def planes(
    call: Call,
    g: Value,
    x: Operand,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Contributions:
    """fold: unfold."""
    given = tuple(map(plain, (kernel_size, dilation, padding, stride)))
    return [(x, mapped(g, lambda e: calling("F.unfold", e, *_needed(given)), x.shape))]


def _needed(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments without the last ones that are as torch has them unless told."""
    kept, unless_told = list(given), [1, 0, 1]
    while unless_told and kept[-1] == unless_told[-1]:
        kept.pop()
        unless_told.pop()
    return tuple(kept)


def _moved_back(name: str) -> Rule:
    """The rule of what only moves elements, by the function that moves them back."""

    def rule(call: Call, g: Value, x: Operand, factor: Any) -> Contributions:
        if g.natural == ():
            return [(x, g.to(x.shape))]
        return [(x, mapped(g, lambda e: calling(name, e, plain(factor)), x.shape))]

    return rule


def shuffled(call: Call, g: Value, x: Operand, groups: Any) -> Contributions:
    """channel_shuffle: dealt back by channel_shuffle into as many groups as one had channels."""
    if g.natural == ():
        return [(x, g.to(x.shape))]
    count = x.shape[1] // plain(groups)
    return [(x, mapped(g, lambda e: calling("F.channel_shuffle", e, count), x.shape))]


def nearest(
    call: Call,
    g: Value,
    x: Operand,
    size: Any = None,
    scale_factor: Any = None,
    mode: Any = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: Any = False,
) -> Contributions:
    """interpolate by the nearest element, a whole number of times as long: the sums of windows of G."""
    whole, longer = x.shape[2:], g.shape[2:]
    if plain(mode) != "nearest" or any(n % m for n, m in zip(longer, whole, strict=True)):
        raise NoRuleError(f"{call.name} has a short formula by the nearest element and whole factors alone")
    times = tuple(n // m for n, m in zip(longer, whole, strict=True))
    if g.natural == ():
        return [(x, g.times(Term(prod(times)), x.shape))]
    made = mapped(g, lambda e: calling(f"F.avg_pool{len(times)}d", e, _short(times)), x.shape)
    return [(x, made.times(Term(prod(times)), x.shape))]


RULES: dict[str, Rule] = {
    **{f"conv{dims}d": convolution(dims) for dims in (1, 2, 3)},
    **{f"conv_transpose{dims}d": transposed_convolution(dims) for dims in (1, 2, 3)},
    **{f"avg_pool{dims}d": average_pool(dims) for dims in (1, 2, 3)},
    **{f"adaptive_avg_pool{dims}d": adaptive_average_pool(dims) for dims in (1, 2, 3)},
    "im2col": columns,
    "col2im": planes,
    "pixel_shuffle": _moved_back("F.pixel_unshuffle"),
    "pixel_unshuffle": _moved_back("F.pixel_shuffle"),
    "channel_shuffle": shuffled,
    **dict.fromkeys(("interpolate", "upsample", "upsample_nearest"), nearest),
}
"""The rules of this file by key."""
