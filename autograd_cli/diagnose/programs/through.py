"""By which names and views a write came to memory that has another name."""

from collections.abc import Iterator
from dataclasses import dataclass

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.statements import around, called, calls, targets
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement

_OUTSIDE = {"detach", "data", "detach_"}
_ARRAYS = {"numpy", "from_numpy", "__array__"}
_MODULES = {"torch", "F", "nn", "np", "functional", "linalg", "special"}


@dataclass(frozen=True)
class Hop:
    """A name or a view on the way from what was written to what was kept.

    `how` says what it is, as "a view of `h`"; `name` is what the write calls it, `base` the name of
    the tensor that it looks at, "" where that has none.
    """

    span: Span
    text: str
    name: str
    how: str
    base: str = ""

    @property
    def is_view(self) -> bool:
        """Whether it looks at a part of the tensor, or at it another way, and the graph knows of that."""
        return self.how.startswith("a view of")

    @property
    def is_outside(self) -> bool:
        """Whether it has the memory of the tensor and no graph."""
        return self.how.endswith("outside the graph") or self.how.startswith("an array")


def written(whole: Whole, span: Span) -> Expr | None:
    """The expression whose tensor the write at `span` changes; None where it is an optimizer that does."""
    statement = whole.statement(span)
    if isinstance(statement, nodes.Augment):
        return statement.target
    if isinstance(statement, nodes.Assign):
        element = next((t for t in statement.targets if _is_element(t) and _holds(t.span, span)), None)
        if element is not None:
            return element
    found = call_at(statement, span)
    return None if found is None else _of_call(found)


def call_at(statement: Statement, span: Span) -> nodes.Call | None:
    """The call that stands exactly at `span` in a statement."""
    values = [getattr(statement, name, None) for name in ("value", "test", "iterable")]
    parts = [part for value in values if isinstance(value, Expr) for part in nodes.walk(value)]
    return next((part for part in parts if isinstance(part, nodes.Call) and part.span == span), None)


def _is_element(target: Expr) -> bool:
    return isinstance(target, nodes.Subscript | nodes.Attribute)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _of_call(call: nodes.Call) -> Expr | None:
    """`h` of `h.mul_(2)`, of `torch.relu_(h)`, of `F.relu(h, inplace=True)`, of `torch.add(a, b, out=h)`."""
    out = next((k.value for k in call.keywords if k.name == "out"), None)
    if out is not None:
        return out.items[0] if isinstance(out, nodes.Sequence) and out.items else out
    function = call.function
    if isinstance(function, nodes.Attribute) and not _is_module(function.value):
        return None if function.name == "step" else function.value
    return call.args[0] if call.args else next((k.value for k in call.keywords if k.name == "input"), None)


def _is_module(expr: Expr) -> bool:
    while isinstance(expr, nodes.Attribute):
        expr = expr.value
    return isinstance(expr, nodes.Name) and expr.id in _MODULES


def root_name(expr: Expr | None) -> str:
    """The name of the tensor that an expression is a view of, "" where it begins with none."""
    while expr is not None:
        if isinstance(expr, nodes.Name):
            return expr.id
        expr = under(expr)
    return ""


def under(expr: Expr) -> Expr | None:
    """What an expression looks at another way: the value before an index, an attribute, a method."""
    if isinstance(expr, nodes.Subscript | nodes.Attribute):
        return expr.value
    if not isinstance(expr, nodes.Call):
        return None
    name, function = called(expr), expr.function
    if name not in _VIEWS and not name.endswith("_"):
        return None
    if isinstance(function, nodes.Attribute) and not _is_module(function.value):
        return function.value
    return expr.args[0] if expr.args else None


def hops(whole: Whole, span: Span, kept: str) -> tuple[Hop, ...]:
    """The names and views by which the write at `span` came to what is called `kept`."""
    expr = written(whole, span)
    if expr is None:
        return tuple(_optimizer(whole, span))
    found: list[Hop] = []
    if isinstance(expr, nodes.Attribute | nodes.Call) and root_name(expr):
        text = drawing.label(whole.source[expr.span])
        found.append(Hop(expr.span, text, text, _relation(expr, root_name(expr)), root_name(expr)))
    name, place, seen = root_name(expr), span, {kept}
    while name and name not in seen:
        seen.add(name)
        step = _bound(whole, name, place)
        if step is None:
            break
        hop, name = step
        found.append(hop)
        place = hop.span
    return tuple(found)


def _bound(whole: Whole, name: str, place: Span) -> tuple[Hop, str] | None:
    """How a name came to its tensor, and the name that this has there; None where it was made for it."""
    return _parameter(whole, name, place) or _round(whole, name, place) or _assigned(whole, name, place)


def _assigned(whole: Whole, name: str, place: Span) -> tuple[Hop, str] | None:
    own = [s for s in whole.all_statements if name in targets(s) and s.span.start < place.start]
    value = _given(own[-1], name) if own else None
    below = root_name(value)
    if value is None or not below or not _looks(value):
        return None
    hop = Hop(own[-1].span, _first_line(whole, own[-1].span), name, _relation(value, below), below)
    return hop, below


def _given(statement: Statement, name: str) -> Expr | None:
    """What a statement assigns to one name, of `a, b = x, y` the item."""
    if not isinstance(statement, nodes.Assign):
        return None
    for target in statement.targets:
        if isinstance(target, nodes.Sequence) and isinstance(statement.value, nodes.Sequence):
            pairs = zip(target.items, statement.value.items, strict=False)
            return next((value for item, value in pairs if item == nodes.Name(name)), None)
    return statement.value


_VIEWS = _OUTSIDE | _ARRAYS | {
    "view", "view_as", "reshape", "reshape_as", "t", "T", "mT", "H", "mH", "transpose", "permute", "squeeze",
    "unsqueeze", "flatten", "unflatten", "ravel", "expand", "expand_as", "broadcast_to", "narrow", "select",
    "diagonal", "chunk", "split", "unbind", "swapaxes", "swapdims", "movedim", "moveaxis", "contiguous",
    "real", "imag", "as_tensor", "to", "float", "double", "cpu", "requires_grad_", "view_as_real",
    "view_as_complex", "unfold", "tensor_split", "hsplit", "vsplit", "dsplit", "as_strided",
}  # fmt: skip
"""What gives the same memory, or may: that it did is known from the write."""


def _looks(value: Expr) -> bool:
    """Whether an expression only looks at a tensor; an in-place method gives the tensor itself."""
    while not isinstance(value, nodes.Name):
        if isinstance(value, nodes.Attribute) and value.name not in _VIEWS:
            return False
        below = under(value)
        if below is None:
            return False
        value = below
    return True


def _parameter(whole: Whole, name: str, place: Span) -> tuple[Hop, str] | None:
    """What the caller handed over, where a name is a parameter of the function that `place` is in."""
    inside = [s for s in around(whole.program, place) if isinstance(s, nodes.Define)]
    names = [each.name for each in inside[-1].parameters] if inside else []
    if name not in names:
        return None
    for call in calls(whole.program, inside[-1].name):
        given = next((k.value for k in call.keywords if k.name == name), None)
        at = names.index(name)
        given = given or (call.args[at] if at < len(call.args) else None)
        if given is not None and root_name(given):
            how = f"hands over {drawing.quoted(whole.source[given.span])} as `{name}`"
            below = root_name(given)
            return Hop(call.span, _first_line(whole, call.span), name, how, below), below
    return None


def _round(whole: Whole, name: str, place: Span) -> tuple[Hop, str] | None:
    """The loop that a name goes through values in."""
    for loop in reversed(whole.loops(place)):
        goes = [node.id for node in nodes.walk(loop.target) if isinstance(node, nodes.Name)]
        if name in goes:
            text = f"for {whole.source[loop.target.span]} in {whole.source[loop.iterable.span]}"
            below = root_name(loop.iterable)
            return Hop(loop.span, drawing.label(text, 40), name, f"gives it the name `{name}`", below), ""
    return None


def _optimizer(whole: Whole, span: Span) -> Iterator[Hop]:
    """The statement that gave an optimizer what it steps."""
    statement = whole.statement(span)
    call = call_at(statement, span)
    function = call.function if call is not None else None
    name = root_name(function.value) if isinstance(function, nodes.Attribute) else ""
    made = next((s for s in whole.all_statements if name in targets(s)), None)
    if made is not None:
        yield Hop(made.span, _first_line(whole, made.span), name, "which steps it")


def _relation(value: Expr, below: str) -> str:
    """What a value is beside the tensor of the name `below`."""
    if isinstance(value, nodes.Name):
        return f"the same tensor as `{below}`"
    names = {n.name for n in nodes.walk(value) if isinstance(n, nodes.Attribute)}
    if names & _ARRAYS or called(value) in _ARRAYS:
        return f"an array of NumPy on the memory of `{below}`"
    return f"the memory of `{below}`, outside the graph" if names & _OUTSIDE else f"a view of `{below}`"


def _first_line(whole: Whole, span: Span) -> str:
    return drawing.label(whole.source[whole.statement(span).span].split("\n", 1)[0], 40)
