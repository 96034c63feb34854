"""Leaves that no backward of a program reaches, though their values go into what it starts from."""

from collections.abc import Iterator
from dataclasses import replace

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs import losses, optimizers
from autograd_cli.diagnose.programs.both_ways import reached
from autograd_cli.diagnose.programs.cutting import Cut
from autograd_cli.diagnose.programs.ends import MEANT, end_of, reason
from autograd_cli.diagnose.programs.restoring import restored, whole_value
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.ways import is_trained
from autograd_cli.diagnose.statements import called, expressions, parts
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.source import named
from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.run.traced import Traced, now

_OUT = {"tolist", "item", "detach", "clone", "numpy", "float", "cpu"}

_CODES = {"detach": "AGX453", "mode": "AGX402", "copy": "AGX322"}


def never_reached(whole: Whole) -> Iterator[Finding]:
    """AGX403, 453, 402 or 322 for each expression that ends the only way from a leaf to the backwards."""
    if whole.ran.failure is not None or not whole.ran.backwards or whole.ran.settings.mode:
        return
    lost = _without_gradient(whole)
    if not lost or any(True for _ in losses.made_leaf(whole)):
        return
    ends: dict[Span, tuple[Cut, list[str]]] = {}
    for name in lost:
        found = end_of(whole, name)
        if found is not None and (not _is_meant(whole, found, name) or _is_asked(whole, name)):
            ends.setdefault(found[0].span, (found, []))[1].append(name)
    known = reached(whole) if ends else None
    for end, names in ends.values():
        names = [] if known is None else [name for name in names if name not in known]
        if names:
            yield _finding(whole, *end, names)


def _without_gradient(whole: Whole) -> list[str]:
    """The leaves by name whose .grad is None in the end."""
    found = []
    for name, held in whole.ran.names.items():
        value = now(held).value if isinstance(held, Traced) else None
        if is_trained(value) and value.grad is None:
            found.append(name)
    return found


def told_of(whole: Whole, leaf: str) -> tuple[str, str, tuple[Fix, ...]] | None:
    """What ends the way from a leaf to the backwards, how it does, and the program without it; or None.

    The place is in the words: "`w.detach()` on line 3", "gives the values as constants, …".
    """
    found = end_of(whole, leaf)
    if found is None:
        return None
    expr, how = found
    text = f"{drawing.quoted(whole.source[expr.span])} on {whole.where(expr.span)}"
    return text, reason(whole, expr, how), tuple(restored(whole, expr, how, leaf))


# Whether it was wanted


def _is_meant(whole: Whole, cut: Cut, leaf: str) -> bool:
    """Whether a cut may be there on purpose: a detach, or a leaf made of the values of another."""
    expr, how = cut
    if how != "copy":
        return how in MEANT
    if any(called(node) == "Parameter" for node in nodes.walk(whole_value(whole, expr))):
        return True
    inner = expr.args[0] if isinstance(expr, nodes.Call) and expr.args else expr
    while called(inner) in _OUT and isinstance(inner, nodes.Call):
        inner = inner.function.value if isinstance(inner.function, nodes.Attribute) else inner.args[0]
    return inner == nodes.Name(leaf)


def _is_asked(whole: Whole, leaf: str) -> bool:
    """Whether the gradient of a leaf is read, or an optimizer is to step by it."""
    held = whole.ran.names.get(leaf)
    tensor = now(held).value if isinstance(held, Traced) else None
    for optimizer in optimizers.optimizers(whole).values():
        if any(own is tensor for own in optimizers.parameters(optimizer)):
            return True
    aside = {id(node) for each in expressions(whole.program) for node in _compared(each)}
    return any(
        id(node) not in aside and not _is_told(whole, node.span)
        for statement in whole.all_statements
        for part in parts(statement)
        for node in nodes.walk(part)
        if isinstance(node, nodes.Attribute) and node.name == "grad" and node.value == nodes.Name(leaf)
        if not isinstance(statement, nodes.Assign) or node not in statement.targets
    )


def _compared(expr: Expr) -> Iterator[Expr]:
    """What stands in a comparison: `w.grad is None` asks whether there is one."""
    if isinstance(expr, nodes.Compare):
        yield from nodes.walk(expr)


def _is_told(whole: Whole, span: Span) -> bool:
    """Whether a comment on the line says that None is what comes."""
    text = whole.source.text
    end = text.find("\n", span.end)
    return "None" in text[span.end : len(text) if end < 0 else end].partition("#")[2]


# In words


def _finding(whole: Whole, expr: Expr, how: str, names: list[str]) -> Finding:
    text = drawing.quoted(whole.source[expr.span])
    count, get = len(whole.ran.backwards), "gets" if len(names) == 1 else "get"
    times = "the backward" if count == 1 else f"any of the {count:,} backwards"
    found = whole.finding(
        _CODES.get(how, "AGX403"),
        f"{named(names)} {get} no gradient from {times}: {text} on {whole.where(expr.span)} "
        f"{reason(whole, expr, how)}.",
        span=expr.span,
        fix=tuple(restored(whole, expr, how, names[0])),
        leaves=names,
    )
    return replace(found, severity=Severity.WARNING)
