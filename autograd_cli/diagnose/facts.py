"""A failure as the rules look at it: its operands, its function, torch's words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from autograd_cli import catalogue
from autograd_cli.diagnose.drawing import label, quoted
from autograd_cli.errors import Span, first_line
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Function, Kind
from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.devices import DeviceMismatch
from autograd_cli.run.tape import Failure, Operand, Run
from autograd_cli.run.values import dtype_name


def sized(operand: Operand) -> str:
    """A tensor operand as sentences have it: its text in backticks and its shape."""
    return f"{quoted(operand.text)} {shape_text(operand.value.shape)}"


def described(operand: Operand) -> tuple[str, str]:
    """An operand's text, and what it is: shape, dtype and device, or the Python value."""
    value = operand.value
    if not isinstance(value, torch.Tensor):
        return label(operand.text), label(f"{type(value).__name__} {value!r}", 48)
    return label(operand.text), f"{shape_text(value.shape)} {dtype_name(value.dtype)} on {value.device}"


def as_plain(operand: Operand) -> dict[str, Any]:
    """A tensor operand as evidence has it: its text, shape, dtype and device."""
    value = operand.value
    return {
        "text": operand.text,
        "shape": tuple(value.shape),
        "dtype": dtype_name(value.dtype),
        "device": str(value.device),
    }


def make(
    code: str,
    sentence: str,
    source: Source,
    *,
    name: str = "",
    span: Span | None = None,
    torch: str = "",
    cause: Sequence[str] = (),
    fix: Sequence[Fix] = (),
    also: tuple[str, ...] = (),
    **evidence: Any,
) -> Finding:
    """A finding whose name and severity are those of its page unless said, and its line that of `span`."""
    about = catalogue.page(code)
    return Finding(
        code=code,
        name=name or about.name,
        severity=about.severity,
        sentence=sentence,
        span=None if span is None else (span.start, span.end),
        line=None if span is None else source.line_of(span.start),
        torch=torch,
        cause=tuple(cause),
        fix=tuple(fix),
        also=also,
        evidence=evidence,
    )


@dataclass(frozen=True)
class Case:
    """A run that failed, with the facts that rules ask for."""

    run: Run
    failure: Failure

    @cached_property
    def words(self) -> str:
        """The first line of the error."""
        return first_line(self.failure.error)

    @cached_property
    def text(self) -> str:
        """The failing expression as it is written."""
        return self.run.program.source[self.failure.expr.span]

    @property
    def function(self) -> Function | None:
        """The row of what was called."""
        return self.failure.function

    @property
    def name(self) -> str:
        """The last part of the function's path, "" where no function was called."""
        return self.function.name if self.function else ""

    @property
    def kind(self) -> Kind | None:
        """What the function does to its arguments."""
        return self.function.kind if self.function else None

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The arguments, in the order in which they are written."""
        return self.failure.operands

    @cached_property
    def tensors(self) -> tuple[Operand, ...]:
        """The operands that are tensors, those written inside a list or tuple among them."""
        return tuple(found for operand in self.operands for found in self._inside(operand))

    def _inside(self, operand: Operand) -> Iterator[Operand]:
        if isinstance(operand.value, torch.Tensor):
            yield operand
        elif isinstance(operand.expr, nodes.Sequence) and isinstance(operand.value, list | tuple):
            for expr, value in zip(operand.expr.items, operand.value, strict=False):
                yield from self._inside(Operand(self.run.program.source[expr.span], expr, value))

    def says(self, *fragments: str) -> bool:
        """Whether the error's first line holds one of the fragments, case aside."""
        words = self.words.lower()
        return any(fragment.lower() in words for fragment in fragments)

    def finding(
        self,
        code: str,
        sentence: str,
        *,
        name: str = "",
        cause: Sequence[str] = (),
        fix: Sequence[Fix] = (),
        expr: Expr | None = None,
        **evidence: Any,
    ) -> Finding:
        """A finding at the failing expression, or at `expr`, with torch's words in it."""
        own = isinstance(self.failure.error, DeviceMismatch)
        if self.tensors:
            evidence.setdefault("operands", [as_plain(operand) for operand in self.tensors[:6]])
        return make(
            code,
            sentence,
            self.run.program.source,
            name=name,
            span=(expr or self.failure.expr).span,
            torch="" if own else self.words,
            cause=cause,
            fix=fix,
            **evidence,
        )
