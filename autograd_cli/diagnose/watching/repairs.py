"""What to write in the place of a statement that changes a value, where its form is known to allow it.

Nothing of this is run. So a statement is written anew only where the text tells what holds the tensor, where
torch has the call that makes a new one, and where what is made goes to where the old one was read from.
"""

import ast
from dataclasses import dataclass
from typing import Any

import torch

from autograd_cli.diagnose.watching import scopes, targets, views
from autograd_cli.diagnose.watching.places import Place, exact
from autograd_cli.diagnose.watching.targets import Written
from autograd_cli.diagnose.watching.told import bracketed

ANEW = "make a new tensor in place of the change: `h = h + 1` for `h += 1`"
_SEEN = ", where nothing else is to see the change"

_OTHERWISE = {
    "bernoulli", "cumprod", "cumsum", "detach", "eq", "float_power", "ge", "greater", "greater_equal", "gt",
    "le", "less", "less_equal", "logical_and", "logical_not", "logical_or", "logical_xor", "lt", "ne",
    "not_equal", "as_strided", "requires_grad", "resize", "resize_as", "squeeze", "swapaxes", "swapdims", "t",
    "transpose", "unsqueeze",
}  # fmt: skip
"""Methods that do not make what their twins with an underscore leave: another dtype, another thing."""


@dataclass(frozen=True)
class Change:
    """A place that changes memory in place, with what it wrote to, and the places that need the old value.

    `is_other` says that the tensor is known by another name as well, `is_off` that its graph does not know
    of the change, though that is not made through `.detach()`.
    """

    at: Place
    what: Written | None
    needed: tuple[Place, ...]
    is_other: bool = False
    is_off: bool = False


def repairs(change: Change) -> list[str]:
    """The repairs of a change, the best first: code at a place, or a sentence where no code is sure."""
    at, what = change.at, change.what
    holder = what.holder() if what else None
    if what is None or holder is None or not _is_kept(at, holder):
        return [f"{at.name}  {_sentence(at, what)}"]
    block = scopes.without_graph(at)
    if block is None and (change.is_off or scopes.is_without_graph(at)):
        return [f"{at.name}  change a copy in its place, which is made by clone() where torch makes a graph"]
    looped = scopes.loop(at, holder.id) if isinstance(holder, ast.Name) else None
    if isinstance(holder, ast.Name) and looped is not None:
        return [_of_loop(change, what, holder, looped)]
    if block is None and _needs_itself(change) and _anew(at, what, holder) is None:
        return _of_itself(change, holder)
    anew = f"{at.name}  {_code(at, what, holder)}" if block is None else _before(block, at, holder)
    cloned = views.repairs(at, what, change.needed)
    is_shared = bool(cloned) or change.is_other or _is_handed(at, holder)
    return [*cloned, anew + (_SEEN if is_shared else "")]


def _needs_itself(change: Change) -> bool:
    """Whether the statement that changes a tensor keeps it as well: so it would a copy made before."""
    return any(_is_own(change.at, each) for each in change.needed)


def _is_own(at: Place, needed: Place) -> bool:
    last = getattr(at.statement, "end_lineno", None) or at.line
    return needed.file == at.file and at.line <= needed.line <= last


def _of_itself(change: Change, holder: ast.expr) -> list[str]:
    """The repairs of a statement that computes with a tensor what it writes into it."""
    at, text, statement = change.at, ast.unparse(holder), change.at.statement
    listed = f"{at.name}  make a new tensor of the parts, by torch.stack or torch.cat, in place of `{text}`"
    is_alone = all(_is_own(at, each) for each in change.needed)
    if not is_alone or not isinstance(statement, ast.Assign | ast.AugAssign):
        return [listed]
    copied = ast.parse(ast.unparse(statement)).body[0]
    if isinstance(copied, ast.Assign | ast.AugAssign):
        copied.value = _Copying(text).visit(copied.value)
    return [f"{at.name}  {ast.unparse(copied)}", listed]


class _Copying(ast.NodeTransformer):
    """Takes a copy of a tensor wherever an expression reads it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def visit(self, node: ast.AST) -> Any:
        """The node, or a copy of the tensor that it is."""
        if isinstance(node, ast.expr) and ast.unparse(node) == self._text:
            return ast.Call(ast.Attribute(node, "clone", ast.Load()), [], [])
        return self.generic_visit(node)


def _before(block: ast.With, at: Place, holder: ast.expr) -> str:
    """A copy that is made before a block without a graph: in the block it would cut the graph."""
    if scopes.is_given_inside(block, holder, at.statement):
        return f"{at.name}  {_sentence(at, None)}, where torch makes a graph"
    text = ast.unparse(holder)
    return f"{_line(at, block)}  {text} = {text}.clone()  before it"


def _line(at: Place, statement: ast.stmt) -> str:
    return f"{at.name.rpartition(':')[0]}:{statement.lineno}"


def _is_kept(at: Place, holder: ast.expr) -> bool:
    """Whether what the holder is given is read from there again."""
    if isinstance(holder, ast.Subscript):
        return targets.is_settable(at, holder)
    if isinstance(holder, ast.Name) and scopes.is_parameter(at, holder.id):
        return scopes.is_read_later(at, holder.id)
    return True


def _is_handed(at: Place, holder: ast.expr) -> bool:
    """Whether somebody else has the tensor: a function was handed it, or a name was given it that had one."""
    if not isinstance(holder, ast.Name):
        return False
    made = scopes.assigned(at, holder.id, at.line)
    if made is None:
        return scopes.is_parameter(at, holder.id)
    return isinstance(made.value, ast.Name | ast.Attribute | ast.Subscript)


def _sentence(at: Place, what: Written | None) -> str:
    """What to do where no code is sure to be right."""
    node = exact(at)
    if isinstance(node, ast.Call) and any(each.arg == "out" for each in node.keywords):
        return "leave out= out: take the new tensor that the call gives back"
    whole = "" if what is None else f", and put it where `{ast.unparse(what.target)}` is read from"
    return f"make a new tensor in place of the change{whole}"


def _of_loop(change: Change, what: Written, holder: ast.Name, looped: scopes.Loop) -> str:
    """The repair of a change to what a loop goes through: the name alone would be given another value."""
    at, name, source = change.at, holder.id, looped.iter
    block = scopes.without_graph(at)
    where = _line(at, block if block and block.lineno < looped.lineno else looped)
    if ast.unparse(source) in what.known and all(_is_above(each, looped, at) for each in change.needed):
        return f"{where}  {ast.unparse(source)} = {ast.unparse(source)}.clone()  before it"
    key = _key(looped, name) if block is None else ""
    code = _anew(at, what, holder) if key else None
    if code and isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
        return f"{at.name}  {ast.unparse(source.func.value)}[{key}] = {code}"
    whole = ast.unparse(source)
    return f"{at.name}  make a new tensor, and put it where `{whole}` has the old one in place of the change"


def _is_above(needed: Place, looped: scopes.Loop, at: Place) -> bool:
    return (needed.file, needed.function) == (at.file, at.function) and needed.line < looped.lineno


def _key(looped: scopes.Loop, name: str) -> str:
    """The name of the key that a loop over the items of a dictionary has for a value."""
    target, source = looped.target, looped.iter
    is_items = isinstance(source, ast.Call) and targets.called(source) == "items" and not source.args
    pair = target.elts if isinstance(target, ast.Tuple) and len(target.elts) == 2 else []
    if not is_items or not all(isinstance(each, ast.Name) for each in pair) or not pair:
        return ""
    key, value = (ast.unparse(each) for each in pair)
    return key if value == name else ""


def _code(at: Place, what: Written, holder: ast.expr) -> str:
    """The statement anew, where it only makes the new value; a copy before it for all others."""
    text, code = ast.unparse(holder), _anew(at, what, holder)
    if code is not None:
        return f"{text} = {code}"
    node = exact(at)
    if isinstance(node, ast.Call) and targets.is_inplace(node) and _gives(at.statement, text, node):
        return f"{text} = {_call(node)}"
    return f"{text} = {text}.clone()  before it"


def _anew(at: Place, what: Written, holder: ast.expr) -> str | None:
    """The new value of what a statement changes and does nothing else; None where that is not known."""
    statement, text = at.statement, ast.unparse(holder)
    if isinstance(statement, ast.AugAssign) and ast.unparse(statement.target) == text:
        operator = ast.unparse(ast.BinOp(ast.Name("a"), statement.op, ast.Name("b")))[2:-2]
        return f"{text} {operator} {bracketed(statement.value)}"
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return None
    if ast.unparse(what.target) == text and call is exact(at):
        return _function(call, text, at) or _chain(call, text)
    return _chain(call, text)


def _chain(call: ast.expr, text: str) -> str | None:
    """Methods that change a tensor, one after the other, with those that make new ones in their places."""
    if ast.unparse(call) == text:
        return text
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    name = call.func.attr
    made = _chain(call.func.value, text) if _has_twin(torch.Tensor, name) else None
    return None if made is None else f"{made}.{name[:-1]}({_arguments(call)})"


def _function(call: ast.Call, text: str, at: Place) -> str | None:
    """A function of torch that was given a tensor to change, in the form that makes a new one."""
    if any(each.arg == "out" for each in call.keywords):
        return _call(call)
    given = targets.first(call)
    if given is None or ast.unparse(given) != text:
        return None
    if targets.is_inplace(call) or targets.is_inplace(call.func):
        return _call(call)
    name, of = targets.called(call), ast.unparse(call.func).rpartition(".")[0]
    if of == "torch" and _has_twin(torch, name) and "torch" in scopes.modules_of(at.file):
        return f"torch.{name[:-1]}({_arguments(call)})"
    return None


def _has_twin(owner: object, name: str) -> bool:
    """Whether the call without the underscore makes what this one leaves in its tensor."""
    is_in_place = name.endswith("_") and not name.endswith("__")
    return is_in_place and name[:-1] not in _OTHERWISE and hasattr(owner, name[:-1])


def _call(call: ast.Call) -> str:
    """A call without `out`, and with `inplace=False`."""
    func = _call(call.func) if isinstance(call.func, ast.Call) else ast.unparse(call.func)
    return f"{func}({_arguments(call)})"


def _arguments(call: ast.Call) -> str:
    given = [ast.unparse(each) for each in call.args]
    for each in call.keywords:
        if each.arg == "inplace":
            given.append("inplace=False")
        elif each.arg != "out":
            given.append(ast.unparse(each))
    return ", ".join(given)


def _gives(statement: ast.stmt | None, text: str, call: ast.Call) -> bool:
    """Whether a statement gives a name just what a call gives back."""
    if not isinstance(statement, ast.Assign) or statement.value is not call:
        return False
    return [ast.unparse(each) for each in statement.targets] == [text]
