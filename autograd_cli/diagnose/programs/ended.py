"""A program's failure as the rules look at it: the Case of the failing call, and the whole run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograd_cli.diagnose.facts import Case
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.run.tape import Operand, Run
from autograd_cli.run.traced import Ran, Traced


@dataclass(frozen=True)
class Ended(Case):
    """The failing call of a program."""

    whole: Whole

    @classmethod
    def of(cls, ran: Ran) -> "Ended":
        """The failure of a run that failed."""
        assert ran.failure is not None, "only a run that failed has a failure to explain"
        run = Run(ran.program, ran.bindings, [], None, ran.failure, ran.settings)
        return cls(run, ran.failure, Whole(ran))

    @property
    def source(self) -> Source:
        """The text that spans count in."""
        return self.whole.source

    @property
    def expr(self) -> Expr:
        """The smallest expression that could not be evaluated."""
        return self.failure.expr

    @property
    def statement(self) -> Statement:
        """The statement that it stands in."""
        return self.whole.statement(self.expr.span)

    @property
    def line(self) -> int:
        """The line of the failing expression."""
        return self.whole.line(self.expr.span)

    @property
    def is_pythons(self) -> bool:
        """Whether it is Python that refused, not torch."""
        kinds = (AssertionError, NameError, AttributeError, ArithmeticError, LookupError)
        own = self.function is None or not self.function.path.startswith("torch.")
        return (isinstance(self.failure.error, kinds) and own) or self.says("NoneType")

    @property
    def is_backward(self) -> bool:
        """Whether what failed is a backward."""
        return self.name in ("backward", "grad") and isinstance(self.expr, nodes.Call)

    @property
    def roots(self) -> tuple[Operand, ...]:
        """The operands that a backward starts from."""
        if not self.operands:
            return ()
        first = self.operands[0]
        if isinstance(first.value, list | tuple) and isinstance(first.expr, nodes.Sequence):
            arguments = first.argument if isinstance(first.argument, list | tuple) else first.value
            together = zip(first.expr.items, first.value, arguments, strict=False)
            return tuple(Operand(self.source[e.span], e, v, a) for e, v, a in together)
        return (first,)

    @property
    def root(self) -> Traced | None:
        """The value that a backward starts from, with how it was made."""
        found = [operand.argument for operand in self.roots]
        return next((argument for argument in found if isinstance(argument, Traced)), None)

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
        """A finding at the failing expression, or at `expr`; an error, since it ended the program."""
        made = super().finding(code, sentence, name=name, cause=cause, fix=fix, expr=expr, **evidence)
        return replace(made, severity=Severity.ERROR, torch="" if self.is_pythons else made.torch)

    def where(self, span: Span) -> str:
        """A place in words: "line 3"."""
        return self.whole.where(span)
