"""Values, bindings and versions as plain data."""

import platform
from functools import cache
from typing import Any

import numpy
import torch

from autograd_cli import __version__
from autograd_cli.explore import statements
from autograd_cli.explore.options import Options
from autograd_cli.report import Binding, Output, Report
from autograd_cli.run.tape import BoundValue
from autograd_cli.run.traced import Ran
from autograd_cli.run.values import device_of, dtype_of, plain, shape_of


def binding_record(bound: BoundValue, limit: int | None) -> Binding:
    """A binding as plain data."""
    value = bound.value
    return Binding(
        name=bound.name,
        text=bound.text,
        shape=shape_of(value),
        dtype=dtype_of(value),
        device=device_of(value),
        requires_grad=bound.role == "leaf",
        value=plain(value, limit),
        role=bound.role,
        used=bound.used,
        converted=bound.converted,
    )


def output_record(text: str, value: Any, cotangent: torch.Tensor | None, limit: int | None) -> Output:
    """The value of the source, which is written `text`, as plain data."""
    grad_fn = getattr(value, "grad_fn", None)
    return Output(
        text=text,
        value=plain(value, limit),
        shape=shape_of(value),
        dtype=dtype_of(value),
        device=device_of(value),
        grad_fn=None if grad_fn is None else type(grad_fn).__name__,
        requires_grad=bool(getattr(value, "requires_grad", False)),
        gradient=None if cotangent is None else plain(cotangent, limit),
    )


@cache
def versions() -> dict[str, str]:
    """The versions that a report is of: agx, torch, numpy and Python."""
    return {
        "agx": __version__,
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "python": platform.python_version(),
    }


def so_far(ran: Ran, options: Options) -> Report:
    """The statements as far as the run has come, and what they printed."""
    return Report(
        source=ran.program.source.text,
        text=ran.program.text,
        name=ran.program.source.name,
        device=ran.settings.device,
        dtype=ran.settings.dtype,
        seed=ran.settings.seed,
        kept_bytes=0,
        versions=versions(),
        bindings=tuple(binding_record(b, options.limit) for b in ran.bindings),
        output=None,
        graph=None,
        gradients=(),
        findings=(),
        status=0,
        statements=statements.records(ran),
        printed=tuple(ran.printed),
        default_dtype=ran.settings.dtype,
        mode=ran.settings.mode,
        autocast=ran.settings.autocast,
        grad_output=options.grad_output or "",
    )
