"""Where the way from a leaf to the backwards of a program ends: the expression that lets no gradient pass."""

from collections.abc import Iterator
from dataclasses import replace

from autograd_cli.diagnose.programs.cutting import REASONS, Cut, is_places, kind
from autograd_cli.diagnose.programs.scene import Whole, reachable
from autograd_cli.diagnose.programs.upstream import Source, mode_around, names_in, parts_of, sources
from autograd_cli.diagnose.programs.ways import is_trained, requires_grad
from autograd_cli.diagnose.statements import around, called, calls, root_of
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.run.traced import Traced, now

MEANT = {"detach", "mode"}
"""Ways to cut that are there to be used: they are told of where the gradient was asked for."""

_FACTS = {
    "numel", "nelement", "size", "dim", "ndim", "ndimension", "shape", "stride", "element_size", "itemsize",
    "dtype", "device", "is_contiguous", "is_floating_point", "is_leaf", "requires_grad", "data_ptr", "type",
    "grad", "len",
}  # fmt: skip
"""What is asked of a tensor without reading its values."""

_COPIES = {"tensor", "as_tensor", "new_tensor"}


def end_of(whole: Whole, leaf: str) -> Cut | None:
    """The expression that ends the way from a leaf to a backward, and how it does; None where none does."""
    for way in ways_to(whole, leaf):
        found = next(filter(None, (_end_in(whole, source, leaf) for source in way)), None)
        found = found or _detached_in_place(whole, way, leaf)
        if found is not None:
            return found
    return None


def _detached_in_place(whole: Whole, way: list[Source], leaf: str) -> Cut | None:
    """`h.detach_()` as a statement, of a tensor that the backward goes through."""
    through = {name for source in way for name in names_in(whole, source.value)}
    for call in calls(whole.program, "detach_"):
        inner = call.function.value if isinstance(call.function, nodes.Attribute) else None
        if isinstance(inner, nodes.Name) and inner.id in through and _leads(whole, inner, leaf):
            return call, "detach"
    return None


def ways_to(whole: Whole, leaf: str) -> Iterator[list[Source]]:
    """What leads to each backward, the nearest first.

    To each that is written where none was made; and where none is written, what was last made of a leaf.
    """
    made = {passed.span for passed in whole.ran.backwards}
    written = [(call, root_of(call)) for call in calls(whole.program, "backward", "grad")]
    for call, root in written:
        if root is not None and (call.span in made or not made):
            yield [Source(whole.statement(call.span), root, None), *sources(whole, root, call.span.start)]
    if not any(root is not None for _, root in written) and not _goes_on(whole, leaf):
        every = (s for s in reversed(whole.all_statements) if isinstance(s, nodes.Assign))
        yield [Source(s, s.value, None) for s in every if leaf in names_in(whole, s.value)]


def _goes_on(whole: Whole, leaf: str) -> bool:
    """Whether something that still has a name leads back to a leaf."""
    held = whole.ran.names.get(leaf)
    tensor = now(held).value if isinstance(held, Traced) else None
    roots = [each for each in whole.values if requires_grad(each) and not is_trained(each.value)]
    return any(each.value is tensor for each in reachable(roots))


def reason(whole: Whole, expr: Expr, how: str) -> str:
    """How an expression ends the way, as the end of a sentence."""
    if how != "mode":
        return REASONS[how]
    mode = mode_around(whole, whole.statement(expr.span))
    return f"is computed under `{whole.source[mode.span]}`, where nothing is recorded" if mode else ""


def _end_in(whole: Whole, source: Source, leaf: str) -> Cut | None:
    found = cuts_in(whole, source, leaf)
    copied = next((cut for cut in found if cut[1] == "copy" and called(cut[0]) in _COPIES), None)
    if copied is not None:
        return copied
    unmeant = [cut for cut in found if cut[1] not in MEANT | {"copy"}]
    if unmeant or found:
        return _innermost(unmeant or found)
    mode = mode_around(whole, source.statement)
    if mode is not None and leaf in names_in(whole, source.value):
        return source.value, "mode"
    return None


def cuts_in(whole: Whole, source: Source, leaf: str) -> list[Cut]:
    """What ends the way of a leaf in one assignment."""
    source = _own_part(source)
    found = [(node, kind(node)) for node in parts_of(whole, source) if kind(node)]
    found += [(source.value, "indices")] if is_places(source) else []
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
    return next(cut for cut in found if not any(s != cut[0].span and holds(cut[0].span, s) for s in spans))


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
    return any(not any(holds(fact.span, name.span) for fact in facts) for name in names)


def _put_in(whole: Whole, expr: Expr) -> Iterator[Expr]:
    """What is appended to the lists that an expression names, with what leads to it."""
    names = set(names_in(whole, expr))
    for call in calls(whole.program, "append"):
        target = call.function.value if isinstance(call.function, nodes.Attribute) else None
        if isinstance(target, nodes.Name) and target.id in names and call.args:
            yield call.args[0]
            yield from (source.value for source in sources(whole, call.args[0], call.span.start))


def holds(span: Span, inner: Span) -> bool:
    """Whether a place holds another, or is it."""
    return span.start <= inner.start and inner.end <= span.end
