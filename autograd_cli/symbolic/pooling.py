"""The rule of max pooling: to the element of each window that was taken."""

from collections.abc import Callable
from typing import Any

from autograd_cli.lang.nodes import Number, Subscript
from autograd_cli.symbolic.build import call as calling
from autograd_cli.symbolic.convolution import each
from autograd_cli.symbolic.operands import Call, NoRuleError, Operand, plain
from autograd_cli.symbolic.texts import Contributions
from autograd_cli.symbolic.values import Value, placed


def max_pool(dims: int) -> Callable[..., Contributions]:
    """max_pool: max_unpool, where no two windows overlap."""

    def rule(
        call: Call,
        g: Value,
        x: Operand,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: Any = False,
        return_indices: Any = False,
    ) -> Contributions:
        size = each(kernel_size, dims)
        step = size if plain(stride) in (None, ()) else each(stride, dims)
        apart = all(s >= k for s, k in zip(step, size, strict=True)) and set(each(dilation, dims)) == {1}
        if not apart or set(each(padding, dims)) != {0} or plain(ceil_mode):
            raise NoRuleError(f"{call.name} has a derivative rule where its windows lie side by side only")
        given = (plain(kernel_size),) if step == size else (plain(kernel_size), plain(stride))
        both = calling(f"F.max_pool{dims}d", x.expr, *given, return_indices=True)
        places, whole = Subscript(both, Number(1)), x.shape[len(x.shape) - dims :]
        named = {} if whole == _least(g, step, size, dims) else {"output_size": whole}
        unpool = f"F.max_unpool{dims}d"
        return [(x, placed(g, lambda e: calling(unpool, e, places, *given, **named), x.shape))]

    return rule


def _least(g: Value, step: tuple[int, ...], size: tuple[int, ...], dims: int) -> tuple[int, ...]:
    """The size that max_unpool takes without being told."""
    windows = g.shape[len(g.shape) - dims :]
    return tuple((n - 1) * s + k for n, s, k in zip(windows, step, size, strict=True))


RULES = {f"max_pool{dims}d": max_pool(dims) for dims in (1, 2, 3)}
