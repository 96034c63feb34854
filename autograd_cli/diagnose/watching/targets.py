"""What a call that changed memory wrote to: the expression, and what in the text holds its tensor."""

import ast
from collections.abc import Collection
from dataclasses import dataclass

import torch

from autograd_cli.diagnose.watching import scopes
from autograd_cli.diagnose.watching.places import Place, exact, parsed, written

VIEWS = {
    "view", "view_as", "reshape", "flatten", "ravel", "t", "T", "mT", "H", "mH", "transpose", "permute",
    "squeeze", "unsqueeze", "narrow", "select", "diagonal", "swapaxes", "swapdims", "movedim", "moveaxis",
    "unfold", "expand", "real", "imag", "chunk", "split", "unbind", "contiguous", "unflatten",
}  # fmt: skip
"""Methods and attributes of a tensor that may look at its memory."""

SAME = VIEWS | {"data", "detach"}
_ATTRIBUTES = {"data", "T", "mT", "H", "mH", "real", "imag"}
_SEVERAL = {
    "chunk", "split", "unbind", "tensor_split", "hsplit", "vsplit", "dsplit", "split_with_sizes", "sort",
    "topk", "max", "min", "median", "nanmedian", "mode", "kthvalue", "aminmax", "cummax", "cummin", "unique",
    "unique_consecutive", "nonzero", "where", "tolist", "size", "stride", "svd", "qr", "slogdet", "lu",
    "frexp", "histogram", "std_mean", "var_mean", "meshgrid", "broadcast_tensors", "geqrf", "symeig", "eig",
    "triangular_solve", "items", "keys", "values", "backward", "register_hook", "numpy", "item", "get",
}  # fmt: skip
"""Methods and functions whose results are no single tensor, or may be none."""

_LISTS = ast.List | ast.ListComp | ast.Dict | ast.DictComp


def changed(at: Place) -> ast.expr | None:
    """What was written to at a place: the target, the receiver, `out`, the first argument; None if unsaid."""
    node = exact(at)
    if node is None:
        return written(at.statement)
    if isinstance(node, ast.AugAssign):
        return node.target
    if isinstance(node, ast.Call):
        return _given(node, scopes.modules_of(at.file))
    is_stored = isinstance(getattr(node, "ctx", None), ast.Store)
    return node if is_stored and isinstance(node, ast.expr) else None


def _given(call: ast.Call, modules: Collection[str]) -> ast.expr | None:
    """What a call is given to change."""
    for keyword in call.keywords:
        if keyword.arg == "out":
            return keyword.value
    name = called(call)
    is_in_place = name.endswith("_") and not name.endswith("__")
    if isinstance(call.func, ast.Attribute) and is_in_place and root(call.func) not in modules:
        return call.func.value
    is_function = is_in_place and root(call.func) in modules
    return first(call) if is_function or is_inplace(call) or is_inplace(call.func) else None


def first(call: ast.Call) -> ast.expr | None:
    """The first argument, `input` or `tensor` by name."""
    named = (each.value for each in call.keywords if each.arg in ("input", "tensor"))
    return next(iter(call.args), None) or next(named, None)


def called(call: ast.Call) -> str:
    """The name of what is called, without what it is of."""
    func = call.func
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def is_inplace(call: ast.expr) -> bool:
    """Whether a call says `inplace=True`."""
    return isinstance(call, ast.Call) and any(
        each.arg == "inplace" and isinstance(each.value, ast.Constant) and each.value.value is True
        for each in call.keywords
    )


def root(node: ast.expr) -> str:
    """The name that a chain of attributes begins with; "" where it begins with another expression."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


@dataclass(frozen=True)
class Written:
    """What a write went into: of an item that is assigned to the tensor is what has the item.

    `known` are names that are known to stand for tensors; `is_list` says that the target is a list of them.
    """

    target: ast.expr
    is_item: bool
    is_view: bool
    known: Collection[str]
    is_list: bool = False

    def holder(self) -> ast.expr | None:
        """The name, attribute or item of a list that holds the tensor; None where the text does not tell."""
        if self.is_list:
            return None
        node, is_view = self.target, self.is_view
        if self.is_item and isinstance(node, ast.Subscript):
            node = node.value
        for _ in range(20):
            if isinstance(node, ast.Name):
                return node
            inner = looked_at(node)
            if inner is not None:
                node, is_view = inner, True
            elif isinstance(node, ast.Subscript) and not _is_text(node.slice) and is_view:
                if ast.unparse(node.value) not in self.known:
                    return None
                node = node.value
            else:
                return node if _is_plain(node) else None
        return None


def looked_at(node: ast.expr) -> ast.expr | None:
    """What is a tensor, whose memory an expression looks at or gives back; None where that is not sure."""
    if isinstance(node, ast.Attribute) and node.attr in _ATTRIBUTES:
        return node.value
    if isinstance(node, ast.Subscript) and is_sliced(node.slice):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in SAME - _ATTRIBUTES or (name.endswith("_") and not name.endswith("__")):
            return node.func.value
    return None


def is_sliced(index: ast.expr) -> bool:
    """Whether an index is none that a list takes and gives a tensor for."""
    if isinstance(index, ast.Tuple):
        return any(map(is_sliced, index.elts))
    return isinstance(index, ast.Slice) or (
        isinstance(index, ast.Constant) and (index.value is None or index.value is ...)
    )


def _is_text(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


def _is_plain(node: ast.expr) -> bool:
    """Whether a chain of attributes and items can be written twice: no call stands in it."""
    is_chain = isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
    return is_chain and not any(isinstance(each, ast.Call | ast.NamedExpr) for each in ast.walk(node))


def is_settable(at: Place, item: ast.Subscript) -> bool:
    """Whether the text shows that what has an item is a list or a dictionary: it takes another tensor."""
    statement = at.statement
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    if isinstance(item.value, ast.Subscript) and is_sliced(item.value.slice):
        return False  # what is set there is a list that nobody keeps
    if _is_text(item.slice) or any(each is not None and _is_same(each, item) for each in targets):
        return True
    whole = ast.unparse(item.value)
    name = whole.rpartition(".")[2]
    tree = parsed(at.file)
    return any(_shows_list(node, name) for node in (ast.walk(tree) if tree else ()))


def _is_same(one: ast.AST, other: ast.AST) -> bool:
    return ast.unparse(one) == ast.unparse(other)


def _shows_list(node: ast.AST, name: str) -> bool:
    """Whether a part of the text fills a list or dictionary of that name."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
        return ast.unparse(node.func.value).rpartition(".")[2] == name
    if not isinstance(node, ast.Assign):
        return False
    return isinstance(node.value, _LISTS) and any(
        ast.unparse(each).rpartition(".")[2] == name for each in node.targets
    )


def is_tensor(value: ast.expr) -> bool:
    """Whether an expression that involves tensors gives one tensor, as far as its form tells."""
    if isinstance(value, ast.BinOp):
        return not any(isinstance(each, _LISTS) for each in (value.left, value.right))
    if isinstance(value, ast.Subscript):
        return is_sliced(value.slice)
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    name = value.func.attr
    return name not in _SEVERAL and hasattr(torch.Tensor, name)
