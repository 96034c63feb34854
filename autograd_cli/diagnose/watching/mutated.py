"""AGX409, AGX451 and AGX415: what changed a value that backward needs, and every call that needed it."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.watching import graphs, modules, views
from autograd_cli.diagnose.watching.graphs import Kept
from autograd_cli.diagnose.watching.mode import storage_of
from autograd_cli.diagnose.watching.modules import Paths
from autograd_cli.diagnose.watching.places import Place, base, place, result, written
from autograd_cli.diagnose.watching.records import Call, Log, Spot, Write
from autograd_cli.diagnose.watching.told import bracketed, make
from autograd_cli.errors import first_line
from autograd_cli.lang.source import several
from autograd_cli.report.diagnosis import Placed
from autograd_cli.report.values import shape_text
from autograd_cli.run.values import dtype_name

_MOST_VICTIMS = 12
_MOST_WRITES = 3


@dataclass(frozen=True)
class Victim:
    """A node that keeps memory which was changed since: which, its call where it is known, the writes.

    `is_named` says that what the call made is what its statement gives a name to, `is_carried` that the
    same place made another one since: a loop carries it from round to round.
    """

    kept: Kept
    storage: int
    call: Call | None
    writes: tuple[Write, ...]
    versions: tuple[int, int] | None = None
    is_named: bool = False
    is_carried: bool = False


def failed(log: Log, roots: Iterable[Any], error: BaseException) -> Placed | None:
    """The finding for a backward that torch refused; None where no node of the graph tells why."""
    found: list[Victim] = []
    for node in graphs.walk(roots):
        for kept in graphs.kept_by(node):
            changed, storage = graphs.change(kept), storage_of(kept.tensor)
            if changed is not None and storage is not None:
                call = log.made(node._sequence_nr())
                guilty = [w for w in log.writes.into(storage) if _is_later(w, changed.expected, call)]
                versions = (changed.expected, changed.version)
                found.append(_known(log, Victim(kept, storage, call, tuple(guilty), versions)))
    return _finding(_ordered(found), error) if found else None


def _known(log: Log, victim: Victim) -> Victim:
    """The victim with what the other records tell of its call."""
    call, writes = victim.call, victim.writes
    if call is None:
        return victim
    carried = bool(writes) and log.again(call, writes[0].order)
    return replace(victim, is_named=log.is_last(call), is_carried=carried)


def _is_later(write: Write, expected: int, call: Call | None) -> bool:
    is_counted = any(after > expected for _, after in write.versions.values())
    return is_counted and (call is None or write.order > call.order)


def unseen(log: Log, roots: Iterable[Any], writes: Sequence[Write], at: Spot | None) -> Placed | None:
    """The finding for values that were changed where torch does not see it, before the backward at `at`."""
    found: list[Victim] = []
    for node in graphs.walk(roots):
        for kept, storage in graphs.storages(node):
            into = [write for write in writes if storage in write.versions]
            call = log.made(node._sequence_nr()) if into else None
            since = [w for w in into if _is_since(w, call, node)]
            if since and graphs.change(kept) is None:
                found.append(_known(log, Victim(kept, storage, call, tuple(since))))
    return _silent(_ordered(found), place(at)) if found else None


def _is_since(write: Write, call: Call | None, node: Any) -> bool:
    if call is None:
        return not write.since and write.sequence > int(node._sequence_nr())
    return write.since <= call.order < write.order


def _ordered(found: list[Victim]) -> list[Victim]:
    return sorted(found, key=lambda v: v.call.order if v.call else v.kept.node._sequence_nr())


# What is told


def _finding(found: list[Victim], error: BaseException) -> Placed:
    names = modules.paths()
    writes = _writes(found, names)
    first = writes[0] if writes else None
    at = place(first.spot) if first else None
    is_step = first is not None and first.is_step
    code = "AGX451" if is_step else "AGX409"
    return make(
        code,
        _sentence(found, first, at, names),
        at or _needed_at(found),
        torch=first_line(error),
        cause=_lines(found, writes, names),
        fix=_fixes(first, at, found, names),
        also=("recurrent-state-not-detached",) if is_step and any(v.is_carried for v in found) else (),
        **_evidence(found, writes, names),
    )


def _silent(found: list[Victim], backward: Place | None) -> Placed:
    names = modules.paths()
    writes = _writes(found, names)
    at = place(writes[0].spot)
    what = _called(found[0], names)
    after = f" before the backward of {backward.name}" if backward else ""
    return make(
        "AGX415",
        f"{what} was changed{_through(writes[0], at, what)}{after}, where torch does not see it: the "
        "gradient is computed from the new values, without an error.",
        at or _needed_at(found),
        cause=_lines(found, writes, names),
        fix=(f"make the change after the backward, or {_copied(writes[0])}",),
        **_evidence(found, writes, names),
    )


def _writes(found: list[Victim], names: Paths) -> list[Write]:
    """The writes into what the victims kept, the first of each place and module."""
    every = {write.order: write for victim in found for write in victim.writes}
    places: dict[Any, Write] = {}
    for order in sorted(every):
        write = every[order]
        places.setdefault((write.spot, _writing(write, place(write.spot), names)), write)
    return list(places.values())


def _needed_at(found: list[Victim]) -> Place | None:
    places = (place(victim.call.spot) for victim in found if victim.call)
    return next((each for each in places if each), None)


def _sentence(found: list[Victim], first: Write | None, at: Place | None, names: Paths) -> str:
    what = _called(found[0], names)
    count = len({id(victim.kept.node) for victim in found})
    needed = f"{count} calls needed" if count > 1 else "a call needed"
    if first is None:
        return f"{what} was changed in place where the watch does not see it, and {needed} its old value."
    if first.is_step:
        what = what[0].lower() + what[1:]
        return f"The optimizer's step changed {what} before this backward, and {needed} its old value."
    return f"{what} was changed in place{_through(first, at, what)}, and {needed} its old value."


def _through(write: Write, at: Place | None, what: str) -> str:
    """Through what `what` was written to: " through `.data`", " through `v`, a view of it", "" for itself."""
    target = None if at is None else written(at.statement)
    text = "" if target is None else ast.unparse(target)
    if write.function == "numpy":
        return " through an array of NumPy that shares its memory"
    if write.untracked and ".data" in (text or (at.source if at else "")):
        return " through `.data`"
    name = f" through `{drawing.label(text)}`" if text and not what.startswith(f"`{text}` ") else ""
    return (
        f"{name}, a view of it" if name and write.is_view and not isinstance(target, ast.Subscript) else name
    )


def _called(victim: Victim, names: Paths) -> str:
    """What was changed, in the script's words."""
    parameter = names.parameter(victim.storage)
    if parameter:
        return f"The parameter `{parameter}`"
    at = place(victim.call.spot) if victim.call else None
    shape = shape_text(victim.kept.tensor.shape)
    if at is not None and victim.kept.is_result:
        name = result(at) if victim.is_named else ""
        return f"`{name}` {shape}, the result of {at.name}," if name else f"The result {shape} of {at.name}"
    for write in victim.writes:
        where = place(write.spot)
        name = base(written(where.statement)) if where else ""
        if name and not write.untracked:
            return f"`{name}` {shape}"
    return f"A tensor {shape} that backward needs"


def _lines(found: list[Victim], writes: list[Write], names: Paths) -> tuple[str, ...]:
    rows = [_changed(write, names) for write in writes[:_MOST_WRITES]]
    needed: dict[tuple[str, str, str, str], int] = {}
    for victim in found:
        row = _needed(victim, names)
        needed[row] = needed.get(row, 0) + 1
    for row, times in list(needed.items())[:_MOST_VICTIMS]:
        rows.append((*row[:3], row[3] + (f", {times} times" if times > 1 else "")))
    more = len(needed) - _MOST_VICTIMS
    lines = drawing.columns(rows)
    return (*lines, *_same(found, writes), *((f"and {more} more",) if more > 0 else ()))


def _changed(write: Write, names: Paths) -> tuple[str, str, str, str]:
    at = place(write.spot)
    before, after = next(iter(write.versions.values()))
    versions = (
        several(len(write.versions), "parameter")
        if write.is_step
        else f"{shape_text(write.shape)} {write.dtype}"
    )
    counted = "" if write.is_step or write.untracked else f", version {before} → {after}"
    where = _in(_writing(write, at, names))
    function = "an array of NumPy" if write.function == "numpy" else _function_name(write)
    return "changed", at.name if at else "", at.text if at else function, versions + counted + where


def _writing(write: Write, at: Place | None, names: Paths) -> str:
    """The module that made a write where the statement itself tells of none."""
    return names.module(write.module) if at and written(at.statement) is None else ""


def _function_name(write: Write) -> str:
    return str(getattr(write.function, "__name__", write.function))


def _needed(victim: Victim, names: Paths) -> tuple[str, str, str, str]:
    call = victim.call
    at, module = (place(call.spot), names.module(call.module)) if call else (None, "")
    where = at.name if at else _function_of(victim.kept.node)
    text = at.text if at else getattr(_own(victim.kept.node), "__qualname__", "")
    return "needed", where, text, f"{_node(victim)} kept {_what(victim, names)}{_in(module)}"


def _in(module: str) -> str:
    return f", in module {module}" if module else ""


def _node(victim: Victim) -> str:
    return type(victim.kept.node).__name__


def _what(victim: Victim, names: Paths) -> str:
    if victim.kept.is_result:
        return "its result"
    parameter = names.parameter(victim.storage)
    return f"`{parameter}`" if parameter else "its input" if victim.kept.name != "tensors" else "it"


def _function_of(node: Any) -> str:
    """The file and line of a person's own Function, which a node was made by."""
    code = getattr(getattr(_own(node), "forward", None), "__code__", None)
    return "" if code is None else Place(code.co_filename, code.co_firstlineno, code.co_name).name


def _own(node: Any) -> Any:
    """The person's own Function that a node was made by, None where it is one of torch's."""
    return getattr(type(node), "_forward_cls", None)


def _same(found: list[Victim], writes: list[Write]) -> tuple[str, ...]:
    """That the name which is written to is other than the one that the kept value has."""
    at = place(writes[0].spot) if writes else None
    name = base(written(at.statement)) if at else ""
    for victim in found:
        made = place(victim.call.spot) if victim.call and victim.kept.is_result else None
        other = result(made) if made and victim.is_named else ""
        if made and name and other and other != name and writes[0] in victim.writes:
            return (f"`{name}` has the memory of `{other}` of {made.name}",)
    return ()


def _evidence(found: list[Victim], writes: list[Write], names: Paths) -> dict[str, Any]:
    return {
        "changed": [_mutation(write) for write in writes],
        "needed": [_need(victim, names) for victim in found[:_MOST_VICTIMS]],
        "victims": len(found),
    }


def _mutation(write: Write) -> dict[str, Any]:
    at = place(write.spot)
    return {
        "file": at.file if at else "",
        "line": at.line if at else None,
        "text": at.text if at else "",
        "shape": list(write.shape),
        "dtype": write.dtype,
        "versions": None if write.is_step else next(iter(write.versions.values())),
        "view": write.is_view,
        "untracked": write.untracked,
        "optimizer": write.is_step,
    }


def _need(victim: Victim, names: Paths) -> dict[str, Any]:
    at = place(victim.call.spot) if victim.call else None
    return {
        "file": at.file if at else "",
        "line": at.line if at else None,
        "text": at.text if at else "",
        "node": _node(victim),
        "kept": victim.kept.name,
        "shape": list(victim.kept.tensor.shape),
        "dtype": dtype_name(victim.kept.tensor.dtype),
        "versions": victim.versions,
        "module": names.module(victim.call.module) if victim.call else "",
        "parameter": names.parameter(victim.storage),
    }


# What to write instead


def _fixes(first: Write | None, at: Place | None, found: list[Victim], names: Paths) -> tuple[str, ...]:
    if first is None or at is None:
        return ("make a new tensor in place of the change: `h = h + 1` for `h += 1`",)
    if first.is_step:
        again = _needed_at(found)
        if again and any(victim.is_carried for victim in found):
            return (f"cut what {again.name} carries from round to round: h = h.detach() before it",)
        rerun = f"or run {again.name} again after {at.name}" if again else "or run the forward again"
        return (
            f"call this backward before {at.name}",
            f"{rerun}, with detach() where networks share a value",
        )
    if _writing(first, at, names):
        every = (_writing(write, place(write.spot), names) for write in _writes(found, names))
        return (f"give {_listed(list(dict.fromkeys(filter(None, every))))} inplace=False",)
    cloned = views.repairs(at, first.is_view, [place(each.call.spot) for each in found if each.call])
    anew = f"{at.name}  {_rewritten(at)}"
    return (*cloned, f"{anew}, where nothing else is to see the change" if cloned else anew)


def _listed(named: list[str]) -> str:
    """Modules in words, not too many."""
    if len(named) == 1:
        return f"the module {named[0]}"
    shown = named if len(named) <= _MOST_WRITES + 1 else [*named[:_MOST_WRITES], "the others like them"]
    return f"the modules {', '.join(shown[:-1])} and {shown[-1]}"


def _copied(write: Write) -> str:
    if write.function == "numpy":
        return "give torch a copy of the array, or NumPy one of the tensor: `.copy()`"
    return "change a copy: `.detach().clone()`"


def _rewritten(at: Place) -> str:
    statement = at.statement
    target = written(statement)
    name = base(target)
    if isinstance(statement, ast.AugAssign) and isinstance(target, ast.Name | ast.Attribute):
        operator = ast.unparse(ast.BinOp(ast.Name("a"), statement.op, ast.Name("b")))[2:-2]
        return f"{ast.unparse(target)} = {ast.unparse(target)} {operator} {bracketed(statement.value)}"
    call = getattr(statement, "value", None)
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_"):
        arguments = ", ".join(ast.unparse(each) for each in (*call.args, *call.keywords))
        new = f"{ast.unparse(call.func.value)}.{call.func.attr.rstrip('_')}({arguments})"
        alone = isinstance(statement, ast.Expr) and isinstance(target, ast.Name | ast.Attribute)
        if alone and target is not None and ast.unparse(target) == name:
            return f"{name} = {new}"
        return f"{name} = {name}.clone()  before it" if name else new
    if isinstance(call, ast.Call) and any(keyword.arg == "out" for keyword in call.keywords):
        return "leave out= out: take the new tensor that the call gives back"
    if "inplace=True" in at.source:
        return at.text.replace("inplace=True", "inplace=False")
    if name:
        return f"{name} = {name}.clone()  before it"
    return (
        "give the module inplace=False"
        if _is_called(statement)
        else "make a new tensor in place of the change"
    )


def _is_called(statement: ast.stmt | None) -> bool:
    return isinstance(getattr(statement, "value", None), ast.Call)
