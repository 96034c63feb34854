"""Losses, and what comes from them, that a list or a running sum keeps with their graphs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograd_cli.diagnose.programs.scene import Whole, reachable
from autograd_cli.diagnose.programs.ways import requires_grad
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import called, parts, targets
from autograd_cli.graph.saved import is_freed, kept as kept_by
from autograd_cli.graph.walk import walk
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr, Statement
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import bytes_text
from autograd_cli.run.mutations import place_of
from autograd_cli.run.tape import grad_fns_of
from autograd_cli.run.traced import Traced, now
from autograd_cli.run.values import tensors_in


@dataclass(frozen=True)
class _Growth:
    """A place where a name gets more of what has a graph: the expression that is put there."""

    name: str
    added: Expr


def kept(whole: Whole) -> Iterator[Finding]:
    """AGX420 where losses are put into a list, or added up, with the graphs they were computed by."""
    roots = _started_from(whole)
    if roots:
        yield from _listed(whole, roots)
        yield from _added(whole, roots)


def _started_from(whole: Whole) -> set[int]:
    """The numbers of the values that a backward started from."""
    return {number for passed in whole.ran.backwards for number in passed.roots}


# In a list


def _listed(whole: Whole, roots: set[int]) -> Iterator[Finding]:
    for name, held in whole.ran.names.items():
        if not isinstance(held, list):
            continue
        items = [item for item in _items(held) if requires_grad(item) and item.grad_fns]
        kept = [item for item in items if _is_done(item, roots)]
        growth = _growth(whole, name) if _apart(whole, kept) else None
        readers = _readers(whole, name)
        if growth is not None and not any(_goes_back(whole, reader, kept, roots) for reader in readers):
            yield _finding(whole, growth, kept, readers)


def _items(held: Any) -> Iterator[Traced]:
    """The values in a list, those inside its tuples too."""
    for item in held:
        if isinstance(item, list | tuple):
            yield from _items(item)
        elif isinstance(item, Traced):
            yield now(item)


def _is_done(item: Traced, roots: set[int]) -> bool:
    """Whether a backward has gone through the graph of a value, or started from it."""
    if item.number in roots or any(traced.number in roots for traced in reachable([item])):
        return True
    return any(map(is_freed, walk(grad_fns_of(item.value)).nodes))


def _apart(whole: Whole, items: Sequence[Traced]) -> bool:
    """Whether there are several, with a backward between the first and the second."""
    if len(items) < 2:
        return False
    first, second = items[0].number, items[1].number
    return any(first < passed.at <= second for passed in whole.ran.backwards)


def _growth(whole: Whole, name: str) -> _Growth | None:
    """Where a list gets its items: by that name, or as the argument of a function."""
    found = [growth for statement in whole.all_statements for growth in _grows(whole, statement)]
    own = [growth for growth in found if growth.name == name]
    return next(iter(own or [growth for growth in found if growth.name not in whole.ran.names]), None)


def _grows(whole: Whole, statement: Statement) -> Iterator[_Growth]:
    """`items.append(x)`, `items += [x]` and `items = items + [x]`, where they were run more than once."""
    site = whole.sites.get(statement.span)
    if site is None or site.count < 2:
        return
    if isinstance(statement, nodes.Evaluate) and called(statement.value) == "append":
        call = statement.value
        assert isinstance(call, nodes.Call)
        target = call.function.value if isinstance(call.function, nodes.Attribute) else None
        if isinstance(target, nodes.Name) and call.args:
            yield _Growth(target.id, _heavy(call.args[0]))
        return
    name, added = _sum_of(statement)
    if isinstance(added, nodes.Sequence) and len(added.items) == 1:
        yield _Growth(name, _heavy(added.items[0]))


def _heavy(expr: Expr) -> Expr:
    """The last item of a tuple that is put into a list, which is the value; else the expression."""
    while isinstance(expr, nodes.Sequence) and expr.items:
        expr = expr.items[-1]
    return expr


def _readers(whole: Whole, name: str) -> list[Statement]:
    """The statements that read a list for what it holds: neither add to it nor ask how long it is."""
    found = []
    for statement in whole.all_statements:
        nodes_ = [node for part in parts(statement) for node in nodes.walk(part)]
        names = sum(isinstance(node, nodes.Name) and node.id == name for node in nodes_)
        aside = sum(_leaves_alone(node, name) for node in nodes_)
        if names > aside and name not in targets(statement):
            found.append(statement)
    return found


def _leaves_alone(node: Expr, name: str) -> bool:
    """Whether a call appends to the list `name`, or asks how long it is."""
    if isinstance(node, nodes.Attribute) and node.name == "append":
        return node.value == nodes.Name(name)
    return called(node) == "len" and isinstance(node, nodes.Call) and node.args == (nodes.Name(name),)


def _goes_back(whole: Whole, reader: Statement, kept: list[Traced], roots: set[int]) -> bool:
    """Whether a backward starts from what a statement makes of the kept losses."""
    if "backward" in {called(node) for part in parts(reader) for node in nodes.walk(part)}:
        return True
    made = (whole.ran.names.get(name) for name in targets(reader))
    starts = [value for value in made if isinstance(value, Traced) and value.number in roots]
    under = {id(value) for value in reachable(starts)}
    return any(id(item) in under for item in kept)


# In a sum


def _added(whole: Whole, roots: set[int]) -> Iterator[Finding]:
    """`total += loss` and its like, run again and again, after a backward of `loss`."""
    for statement in whole.all_statements:
        name, added = _sum_of(statement)
        value, site = whole.ran.names.get(name) if name else None, whole.sites.get(statement.span)
        if added is None or not isinstance(value, Traced) or site is None or site.count < 2:
            continue
        value = now(value)
        if value.number in roots or not requires_grad(value):
            continue
        if any(traced.number in roots for traced in reachable([value])):
            yield _finding(whole, _Growth(name, added), [value])


def _sum_of(statement: Statement) -> tuple[str, Expr | None]:
    """The name and the term of `name += term`, `name = name + term` and `name = a * name + term`."""
    if isinstance(statement, nodes.Augment):
        is_sum = statement.op == "+" and isinstance(statement.target, nodes.Name)
        return (statement.target.id, statement.value) if is_sum else ("", None)  # type: ignore[attr-defined]
    value = statement.value if isinstance(statement, nodes.Assign) else None
    if not isinstance(value, nodes.Binary) or value.op != "+":
        return "", None
    for name in targets(statement):
        if value.left == nodes.Name(name):
            return name, value.right
        for own, other in ((value.left, value.right), (value.right, value.left)):
            if _reads(own, name) and not _reads(other, name):
                return name, other
    return "", None


def _reads(expr: Expr, name: str) -> bool:
    return any(isinstance(node, nodes.Name) and node.id == name for node in nodes.walk(expr))


# In words


def _finding(
    whole: Whole, growth: _Growth, values: Sequence[Traced], readers: Sequence[Statement] = ()
) -> Finding:
    expr, text = growth.added, whole.source[growth.added.span]
    tensors = [tensor for value in values for tensor in tensors_in(value.value)]
    count, size = held_by(whole, tensors)
    plain = _plain(text, expr, tensors, readers)
    return whole.finding(
        "AGX420",
        f"`{growth.name}` keeps `{text}` with the graph that it was computed by, round after round: memory "
        f"grows, and no backward goes through those graphs again{_read(whole, readers)}.",
        span=expr.span,
        cause=(
            f"in the end {count:,} nodes of graphs, and {bytes_text(size)} that they and the values hold",
        ),
        fix=(Fix(f"line {whole.line(expr.span)}:  {plain}", edited(whole.source, {expr.span: plain})),),
        kept_nodes=count,
        kept_bytes=size,
    )


def _plain(text: str, expr: Expr, tensors: Sequence[torch.Tensor], readers: Sequence[Statement]) -> str:
    """The value without its graph: a number where it is one, unless tensors are asked for later."""
    tight = text if isinstance(expr, nodes.Name | nodes.Call | nodes.Attribute) else f"({text})"
    asked = {called(node) for reader in readers for part in parts(reader) for node in nodes.walk(part)}
    is_number = all(tensor.numel() == 1 for tensor in tensors) and not asked & _OF_TENSORS
    return f"{tight}.item()" if is_number else f"{tight}.detach()"


_OF_TENSORS = {"stack", "cat", "concat", "concatenate", "hstack", "vstack", "dstack", "row_stack"}


def held_by(whole: Whole, tensors: Iterable[torch.Tensor]) -> tuple[int, int]:
    """The nodes of the graphs of tensors, and the bytes that these keep and no variable holds anyway."""
    tensors = list(tensors)
    values = (now(held).value for held in whole.ran.names.values() if isinstance(held, Traced))
    own = {place_of(value) for value in values if isinstance(value, torch.Tensor)}
    found = walk(grad_fns_of(tensors)).nodes
    kept = [tensor for node in found for tensor in kept_by(node) if place_of(tensor) not in own]
    sizes = {place_of(tensor): tensor.untyped_storage().nbytes() for tensor in (*tensors, *kept)}
    return len(found), sum(sizes.values())


def _read(whole: Whole, readers: Sequence[Statement]) -> str:
    """Where what is kept is read: only for its numbers."""
    own = {statement.name for statement in whole.all_statements if isinstance(statement, nodes.Define)}
    plain = [r for r in readers if not own & {called(n) for part in parts(r) for n in nodes.walk(part)}]
    places = list(dict.fromkeys(whole.where(reader.span) for reader in plain))
    return f"; {places[0]} reads the numbers alone" if places else ""
