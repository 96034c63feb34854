"""Gradients that are not finite: the finding on a source, and what Python and torch give for it."""

import math

import torch

from autograd_cli.explore import Options, explore
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding

HEAD = "import math\nimport torch\nimport torch.nn.functional as F\ninf = math.inf\n"
SQRT, LOG, MASKED, OVER, PLAIN, VALUE = (
    "nan-grad-sqrt-at-zero", "nan-grad-log-at-zero", "nan-grad-masked-branch", "value-overflow",
    "nan-gradient", "nan-value",
)  # fmt: skip


def leaf(value: object, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """The leaf of a case."""
    return torch.tensor(value, dtype=dtype, requires_grad=True)


def by_python(program: str) -> torch.Tensor:
    """The gradient of x that Python and torch give for a program."""
    names: dict[str, object] = {}
    exec(program, names)
    gradient: torch.Tensor = names["x"].grad
    return gradient


def of_expression(source: str, x: torch.Tensor) -> torch.Tensor:
    """The gradient of x that Python and torch give for an expression of the language."""
    names = {**vars(torch), "F": torch.nn.functional, "x": x, "inf": math.inf, "max": max, "abs": torch.abs}
    (gradient,) = torch.autograd.grad(eval(source, names).sum(), x)
    return gradient


def found(source: str, *bindings: tuple[str, str], **options: str) -> Finding:
    """The one finding of this kind in a report."""
    report = explore(Source(source), bindings, Options(**options))
    assert report.status in (0, 1)
    (finding,) = [each for each in report.findings if each.code == "AGX502"]
    return finding
