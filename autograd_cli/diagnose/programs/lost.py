"""Leaves that no backward of a program reaches, though their values go into what it starts from."""

from collections.abc import Iterator
from dataclasses import replace

import torch

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs import losses, optimizers
from autograd_cli.diagnose.programs.both_ways import reached
from autograd_cli.diagnose.programs.cutting import REASONS, Cut, kind
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.uncut import without
from autograd_cli.diagnose.programs.upstream import Source, mode_around, names_in, parts_of, sources
from autograd_cli.diagnose.programs.ways import is_trained
from autograd_cli.diagnose.statements import around, called, calls, expressions, parts, replaced, root_of
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.source import named
from autograd_cli.report import Finding, Fix, Severity
from autograd_cli.run.traced import Traced, now

_MEANT = {"detach", "mode"}
"""Ways to cut that are there to be used: they are told of where the gradient was asked for."""

_FACTS = {
    "numel", "nelement", "size", "dim", "ndim", "ndimension", "shape", "stride", "element_size", "itemsize",
    "dtype", "device", "is_contiguous", "is_floating_point", "is_leaf", "requires_grad", "data_ptr", "type",
    "grad", "len",
}  # fmt: skip
"""What is asked of a tensor without reading its values."""

_COPIES = {"tensor", "as_tensor", "new_tensor"}

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
        found = _end(whole, name)
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


# What ends the way


def _end(whole: Whole, leaf: str) -> Cut | None:
    """The expression that ends the way from a leaf to a backward, and how it does; None where none does."""
    made = {passed.span for passed in whole.ran.backwards}
    for call in calls(whole.program, "backward"):
        root = root_of(call)
        if root is None or call.span not in made:
            continue
        way = [Source(whole.statement(call.span), root, None), *sources(whole, root, call.span.start)]
        for source in way:
            found = _end_in(whole, source, leaf)
            if found is not None:
                return found
    return None


def _end_in(whole: Whole, source: Source, leaf: str) -> Cut | None:
    found = _cuts_in(whole, source, leaf)
    copied = next((cut for cut in found if cut[1] == "copy" and called(cut[0]) in _COPIES), None)
    if copied is not None:
        return copied
    unmeant = [cut for cut in found if cut[1] not in _MEANT | {"copy"}]
    if unmeant or found:
        return _innermost(unmeant or found)
    mode = mode_around(whole, source.statement)
    if mode is not None and leaf in names_in(whole, source.value):
        return source.value, "mode"
    return None


def _cuts_in(whole: Whole, source: Source, leaf: str) -> list[Cut]:
    """What ends the way of a leaf in one assignment."""
    source = _own_part(source)
    found = [(node, kind(node)) for node in parts_of(whole, source) if kind(node)]
    return [(node, how) for node, how in found if _leads(whole, node, leaf)]


def _own_part(source: Source) -> Source:
    """The source with its own expression where several names are assigned at once."""
    statement, value = source.statement, source.value
    names = statement.targets[0] if isinstance(statement, nodes.Assign) else None
    if not isinstance(value, nodes.Sequence) or not isinstance(names, nodes.Sequence) or source.made is None:
        return source
    pairs = zip(names.items, value.items, strict=False)
    own = next((item for name, item in pairs if name == nodes.Name(source.made.name)), value)
    return replace(source, value=own)


def _innermost(found: list[Cut]) -> Cut:
    """The first that holds no other."""
    spans = [cut[0].span for cut in found]
    return next(cut for cut in found if not any(s != cut[0].span and _holds(cut[0].span, s) for s in spans))


def _leads(whole: Whole, node: Expr, leaf: str, inside: frozenset[str] = frozenset()) -> bool:
    """Whether a leaf's value goes into an expression, by its names or by what its function is given.

    `inside` are the functions whose calls are being followed.
    """
    if not inside and not _reads_values(node):
        return False
    values = [node, *(_own_part(each).value for each in sources(whole, node, node.span.start))]
    if any(leaf in names_in(whole, each) for value in values for each in (value, *_put_in(whole, value))):
        return True
    outer = {one.name for one in around(whole.program, node.span) if isinstance(one, nodes.Define)} - inside
    given = (part for name in outer for call in calls(whole.program, name) for part in _given(call))
    return any(_leads(whole, part, leaf, inside | outer) for part in given)


def _given(call: nodes.Call) -> list[Expr]:
    """What a call gives its function."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _reads_values(node: Expr) -> bool:
    """Whether an expression reads more of tensors than their shape and dtype."""
    every = list(nodes.walk(node))
    facts = [each for each in every if {called(each), getattr(each, "name", "")} & _FACTS]
    own = [each.function for each in every if isinstance(each, nodes.Call)]
    names = [each for each in every if isinstance(each, nodes.Name) and not any(each is f for f in own)]
    return any(not any(_holds(fact.span, name.span) for fact in facts) for name in names)


def _put_in(whole: Whole, expr: Expr) -> Iterator[Expr]:
    """What is appended to the lists that an expression names, with what leads to it."""
    names = set(names_in(whole, expr))
    for call in calls(whole.program, "append"):
        target = call.function.value if isinstance(call.function, nodes.Attribute) else None
        if isinstance(target, nodes.Name) and target.id in names and call.args:
            yield call.args[0]
            yield from (source.value for source in sources(whole, call.args[0], call.span.start))


def _holds(span: Span, inner: Span) -> bool:
    return span.start <= inner.start and inner.end <= span.end


# Whether it was wanted


def _is_meant(whole: Whole, cut: Cut, leaf: str) -> bool:
    """Whether a cut may be there on purpose: a detach, or a leaf made of the values of another."""
    expr, how = cut
    if how != "copy":
        return how in _MEANT
    if any(called(node) == "Parameter" for node in nodes.walk(_whole_value(whole, expr))):
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
        f"{_reason(whole, expr, how)}.",
        span=expr.span,
        fix=tuple(_fixes(whole, expr, how, names[0])),
        leaves=names,
    )
    return replace(found, severity=Severity.WARNING)


def _reason(whole: Whole, expr: Expr, how: str) -> str:
    if how != "mode":
        return REASONS[how]
    mode = mode_around(whole, whole.statement(expr.span))
    return f"is computed under `{whole.source[mode.span]}`, where nothing is recorded" if mode else ""


def _fixes(whole: Whole, expr: Expr, how: str, leaf: str) -> Iterator[Fix]:
    function = expr.function if isinstance(expr, nodes.Call) else None
    is_math = isinstance(function, nodes.Attribute) and function.value == nodes.Name("math")
    if how == "mode":
        yield from _moded(whole, expr)
    elif is_math and isinstance(function, nodes.Attribute) and hasattr(torch, function.name):
        new = f"torch.{function.name}{whole.source[expr.span][len(whole.source[function.span]) :]}"
        yield Fix(f"{whole.where(expr.span)}:  {new}", replaced(whole.source, {expr.span: new}))
    else:
        own = Source(whole.statement(expr.span), _whole_value(whole, expr), None)
        others = [cut for cut in _cuts_in(whole, own, leaf) if cut[0] is not expr]
        yield from without(whole, expr, how, [(expr, how), *others])


def _whole_value(whole: Whole, expr: Expr) -> Expr:
    """The expression of the statement that `expr` stands in."""
    return next(part for part in parts(whole.statement(expr.span)) if _holds(part.span, expr.span))


def _moded(whole: Whole, expr: Expr) -> Iterator[Fix]:
    """The statement out of its no_grad, where it is all that stands there."""
    statement = whole.statement(expr.span)
    outer = [s for s in around(whole.program, expr.span) if isinstance(s, nodes.With)]
    text = whole.source[statement.span]
    if outer and outer[-1].body == (statement,):
        yield Fix(f"{whole.where(outer[-1].span)}:  {text}", replaced(whole.source, {outer[-1].span: text}))
    else:
        yield Fix(f"move {drawing.quoted(text)} out of there")
