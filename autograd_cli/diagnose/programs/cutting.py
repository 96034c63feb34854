"""What ends a gradient's way from a leaf: detach, item, a cast, a comparison, a copy."""

from collections.abc import Iterable, Iterator, Sequence

from autograd_cli.diagnose.programs.scene import Whole
from autograd_cli.diagnose.programs.upstream import Source, names_in, parts_of, sources
from autograd_cli.diagnose.statements import called
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr

_DETACHES = {"detach", "data", "detach_"}
_NUMBERS = {"item", "tolist", "float", "numpy"}
CASTS = {"long", "int", "short", "bool", "byte", "char"}
INDICES = {"argmax", "argmin", "argsort", "searchsorted", "bucketize", "count_nonzero", "nonzero"}
_BESIDES = {"max", "min", "topk", "sort", "kthvalue", "median", "nanmedian", "mode", "cummax", "cummin"}
_TESTS = {"eq", "ne", "lt", "le", "gt", "ge", "sign_", "isclose", "isnan", "isfinite"}
_COPIES = {"tensor", "from_numpy", "as_tensor", "new_tensor"}


REASONS = {
    "detach": "gives the values as constants, outside the graph",
    "number": "leaves torch for Python, and no gradient comes back",
    "whole": "gives whole numbers, which do not change when its operands change a little",
    "truth": "gives truth values, which do not change when its operands change a little",
    "copy": "makes a new tensor of the values, outside the graph",
    "indices": "gives places beside the values, whole numbers, which do not change when they change a little",
}
"""How each kind ends the way, as the end of a sentence."""

Cut = tuple[Expr, str]
"""An expression that ends a gradient's way, and its kind."""


def cuts(whole: Whole, way: Iterable[Source]) -> Iterator[Cut]:
    """Every expression of the assignments on a way that ends it, though a leaf is behind."""
    for source in way:
        if source.made is None or not source.made.requires_grad:
            if is_places(source) and comes_from_leaf(whole, source.value):
                yield source.value, "indices"
            for node in parts_of(whole, source):
                found = kind(node)
                if found and comes_from_leaf(whole, node):
                    yield node, found


def deepest(whole: Whole, found: Sequence[Cut]) -> Cut | None:
    """The cut that the graph ends at: what it is computed from has no other in it."""
    return next((cut for cut in found if not _has_another(whole, cut, found)), next(iter(found), None))


def _has_another(whole: Whole, cut: Cut, found: Sequence[Cut]) -> bool:
    span = cut[0].span
    places = [source.statement.span for source in sources(whole, cut[0], span.start)]
    return any(
        other[0] is not cut[0] and any(_holds(place, other[0].span) for place in (span, *places))
        for other in found
    )


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def is_places(source: Source) -> bool:
    """Whether a name has the places that a call gives besides its values: `values, places = x.max(0)`."""
    is_whole = source.made is not None and source.made.dtype.startswith("int")
    return is_whole and called(source.value) in _BESIDES


def kind(node: Expr) -> str:
    """How an expression ends a gradient's way, "" where it does not."""
    if isinstance(node, nodes.Attribute | nodes.Subscript) and called(node.value) in _BESIDES:
        second = isinstance(node, nodes.Subscript) and node.index == nodes.Number(1)
        return "indices" if second or getattr(node, "name", "") == "indices" else ""
    if isinstance(node, nodes.Compare):
        return "truth"
    function = node.function if isinstance(node, nodes.Call) else None
    if isinstance(function, nodes.Attribute) and function.value == nodes.Name("math"):
        return "number"
    name = node.name if isinstance(node, nodes.Attribute) and node.name == "data" else called(node)
    if name == "float" and not isinstance(getattr(node, "function", None), nodes.Name):
        return ""
    kinds = (
        (_DETACHES, "detach"), (INDICES | CASTS, "whole"), (_NUMBERS, "number"), (_TESTS, "truth"),
        (_COPIES, "copy"),
    )  # fmt: skip
    found = next((label for names, label in kinds if name in names), "")
    if name == "to" and "int" in _words(node):
        return "whole"
    return found


def _words(node: Expr) -> str:
    return " ".join(
        n.name if isinstance(n, nodes.Attribute) else getattr(n, "id", "") for n in nodes.walk(node)
    )


def comes_from_leaf(whole: Whole, node: Expr) -> bool:
    """Whether something that requires grad goes into an expression."""
    for source in sources(whole, node, node.span.start):
        if source.made is not None and source.made.requires_grad:
            return True
    leaves = {b.name for b in whole.ran.bindings if b.role == "leaf"}
    return bool(leaves & set(names_in(whole, node)))
