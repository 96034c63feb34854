"""float64, mostly NumPy's, meeting float32: what is computed is float64."""

from collections.abc import Iterator

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.ways import arguments
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.report import Finding
from autograd_cli.report.values import shape_text
from autograd_cli.run.traced import Traced
from autograd_cli.run.values import dtype_name


def promoted(whole: Whole) -> Iterator[Finding]:
    """AGX305, once, for the first call of two floating dtypes whose result has the wider."""
    for traced in whole.values:
        pair = _pair(traced)
        if pair is None:
            continue
        narrow = min(pair, key=lambda side: side.value.dtype.itemsize)
        rows = [_row(whole, side) for side in (*pair, traced)]
        yield whole.finding(
            "AGX305",
            f"{drawing.quoted(rows[pair.index(narrow)][0])} is {dtype_name(narrow.value.dtype)} and is "
            f"promoted: {drawing.quoted(rows[2][0])} is {dtype_name(traced.value.dtype)}.",
            span=traced.expr.span,
            cause=drawing.columns(rows),
        )
        return


def _pair(traced: Traced) -> tuple[Traced, Traced] | None:
    """Two floating tensors of two dtypes that an elementwise call put together."""
    if traced.function is None or traced.function.kind is not Kind.ELEMENTWISE:
        return None
    sides = [a for a in arguments(traced) if isinstance(a.value, torch.Tensor)]
    if len(sides) != 2 or not all(side.value.is_floating_point() for side in sides):
        return None
    dtypes = {side.value.dtype for side in sides}
    wider = isinstance(traced.value, torch.Tensor) and traced.value.dtype in dtypes
    alike = bool(sides[0].value.ndim) == bool(sides[1].value.ndim)
    return (sides[0], sides[1]) if len(dtypes) == 2 and wider and alike else None


def _row(whole: Whole, traced: Traced) -> tuple[str, str, str]:
    text = traced.name or whole.source[traced.expr.span]
    return drawing.label(text), shape_text(traced.value.shape), dtype_name(traced.value.dtype)
