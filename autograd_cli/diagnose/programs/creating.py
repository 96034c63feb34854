"""Which of the tensors that a program makes of plain numbers should require grad, and how it is written."""

import re
from collections.abc import Iterator

from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.upstream import Source, names_in
from autograd_cli.diagnose.programs.ways import CREATES
from autograd_cli.diagnose.repair import edited, spelled
from autograd_cli.diagnose.statements import called, calls, expressions, keyword_added
from autograd_cli.lang import nodes
from autograd_cli.report import Fix

_WEIGHTS = re.compile(r"[wWbB]\d*|[wWbB]_\w+|.*(?:weight|bias|theta|param|coef|slope).*")
"""Names that people give to what is trained, where nothing else tells it from data."""


def creates(call: nodes.Call) -> bool:
    """Whether a call makes a tensor of plain numbers."""
    return called(call) in CREATES


def required(whole: Whole, made: list[Source]) -> Iterator[Fix]:
    """requires_grad=True put where the tensor is created whose gradient the program asks for."""
    made = [s for s in made if "requires_grad" not in whole.source[s.value.span]]
    floating = [s for s in made if _is_floating(s)]
    likely = wanted(whole, floating) or floating[:1]
    dtype = spelled(whole.program, "torch.float32")
    keyword = "requires_grad=True" if likely else f"dtype={dtype}, requires_grad=True"
    edits = {
        source.value.span: keyword_added(whole.source, source.value, keyword)
        for source in likely or made[:1]
        if isinstance(source.value, nodes.Call)
    }
    if edits:
        lines = "; ".join(f"line {whole.line(span)}:  {text}" for span, text in sorted(edits.items()))
        yield Fix(lines, edited(whole.source, edits))


def _is_floating(source: Source) -> bool:
    return source.made is not None and source.made.dtype.startswith(("float", "bfloat"))


def wanted(whole: Whole, made: list[Source]) -> list[Source]:
    """Those whose .grad is read, or which an optimizer steps; else those that are named like weights."""
    asked = {whole.source[node.value.span] for node in _grads(whole)}
    for call in calls(whole.program, "SGD", "Adam"):
        asked.update(name for argument in call.args for name in names_in(whole, argument))
    read = [source for source in made if name_of(source) in asked]
    return read or [source for source in made if _WEIGHTS.fullmatch(name_of(source))]


def _grads(whole: Whole) -> Iterator[nodes.Attribute]:
    for node in expressions(whole.program):
        if (
            isinstance(node, nodes.Attribute)
            and node.name == "grad"
            and not isinstance(node.value, nodes.Attribute)
        ):
            yield node


def name_of(source: Source) -> str:
    """The name that an assignment gives, "" where it gives none."""
    return source.made.name if source.made else ""
