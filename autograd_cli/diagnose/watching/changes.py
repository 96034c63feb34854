"""Changes of values that backward needs, in words: what was changed, where, and who needed it."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from autograd_cli.diagnose import drawing
from autograd_cli.diagnose.watching import graphs, modules, targets
from autograd_cli.diagnose.watching.functions import applied
from autograd_cli.diagnose.watching.graphs import Kept
from autograd_cli.diagnose.watching.mode import storage_of
from autograd_cli.diagnose.watching.places import Place, base, place, result
from autograd_cli.diagnose.watching.records import Call, Log, Write
from autograd_cli.lang.source import several
from autograd_cli.report.values import shape_text
from autograd_cli.run.values import dtype_name

MOST_VICTIMS = 12
MOST_WRITES = 3


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


@dataclass(frozen=True)
class Group:
    """The victims of one place; `writes` are those that came after, the first of each place."""

    victims: list[Victim]
    writes: list[Write]

    @property
    def first(self) -> Write | None:
        """The write that came first."""
        return self.writes[0] if self.writes else None


class Words:
    """What places, tensors and modules of a `log` are called; `roots` are what the backward starts from."""

    def __init__(self, log: Log, roots: Iterable[Any]) -> None:
        self._log = log
        self.names = modules.paths()
        self._places: dict[Any, Place | None] = {}
        self._leaves = dict(_leaves(roots))

    def place(self, record: Write | Call | None) -> Place | None:
        """Where a record was made."""
        if record is None or record.spot is None:
            return None
        if record.spot not in self._places:
            self._places[record.spot] = place(record.spot)
        return self._places[record.spot]

    def target(self, write: Write) -> ast.expr | None:
        """What a write wrote to, as the script has it."""
        at = self.place(write)
        return None if at is None else targets.changed(at)

    def is_leaf(self, victim: Victim) -> bool:
        """Whether what was changed is a leaf that the backward gives a gradient to."""
        return victim.storage in self._leaves

    def is_off(self, group: Group, write: Write) -> bool:
        """Whether a write into the result of a call made no node, though it is not through `.detach()`."""
        made, target = self._log.made(write.sequence), self.target(write)
        text = "" if target is None else ast.unparse(target)
        is_known = made is not None and made.order == write.order
        has_graph = any(victim.kept.is_result for victim in group.victims)
        return has_graph and not is_known and ".detach()" not in text and ".data" not in text

    def module(self, write: Write) -> str:
        """The module that made a write where the statement itself tells of none."""
        is_silent = self.place(write) is not None and self.target(write) is None
        return self.names.module(write.module) if is_silent else ""

    def result(self, victim: Victim) -> str:
        """The name that the kept result of a call was given; "" where it was given none."""
        at = self.place(victim.call) if victim.kept.is_result and victim.is_named else None
        return result(at) if at else ""

    def called(self, victim: Victim) -> str:
        """What was changed, in the script's words."""
        parameter, shape = self.names.parameter(victim.storage), shape_text(victim.kept.tensor.shape)
        if parameter:
            return f"The {'buffer' if self.names.is_buffer(victim.storage) else 'parameter'} `{parameter}`"
        if name := self._variable(victim):
            return f"`{name}` {shape}"
        at = self.place(victim.call)
        if at is not None and victim.kept.is_result:
            name = self.result(victim)
            return (
                f"`{name}` {shape}, the result of {at.name}," if name else f"The result {shape} of {at.name}"
            )
        for write in victim.writes:
            name = self.written(write)
            if name and not write.untracked:
                return f"A tensor {shape} of `{name}`" if is_of_list(write) else f"`{name}` {shape}"
        return f"A tensor {shape} that backward needs"

    def written(self, write: Write) -> str:
        """The text of the tensor that was written to, or that one written to looks at; "" where unsaid."""
        target = self.target(write)
        if isinstance(target, ast.Subscript) and _function_name(write) == "__setitem__":
            target = target.value
        while target is not None and (inner := targets.looked_at(target)) is not None:
            target = inner
        is_chain = isinstance(target, ast.Name | ast.Attribute | ast.Subscript)
        return ast.unparse(target) if target is not None and is_chain else ""

    def _variable(self, victim: Victim) -> str:
        leaf = self._leaves.get(victim.storage)
        return "" if leaf is None else self.names.leaf(leaf)

    def groups(self, found: Sequence[Victim]) -> list[Group]:
        """The victims by the place that changed their value first; those of no known place last."""
        groups: dict[Any, list[Victim]] = {}
        for victim in sorted(found, key=lambda each: each.writes[0].order if each.writes else 1 << 62):
            key = self._key(victim.writes[0])[:2] if victim.writes else None
            groups.setdefault(key, []).append(victim)
        return [Group(sorted(each, key=found.index), self._writes(each)) for each in groups.values()]

    def _writes(self, victims: Sequence[Victim]) -> list[Write]:
        every = {write.order: write for victim in victims for write in victim.writes}
        places: dict[Any, Write] = {}
        for order in sorted(every):
            places.setdefault(self._key(every[order]), every[order])
        return list(places.values())

    def _key(self, write: Write) -> Any:
        """What makes writes one: the statement, the name in it, and the module below it."""
        at = self.place(write)
        where = write.spot if at is None else (at.file, at.line, at.text)
        return where, base(self.target(write)), self.module(write)

    # Sentences and rows

    def through(self, write: Write, what: str) -> str:
        """Through what `what` was written to, such as " through `v`, a view of it"; "" for itself."""
        at, target = self.place(write), self.target(write)
        text = "" if target is None else ast.unparse(target)
        if write.function == "numpy":
            return " through an array of NumPy that shares its memory"
        if write.untracked and ".data" in (text or (at.source if at else "")):
            return " through `.data`"
        is_itself = not text or f"`{text}`" in what or what.endswith(f".{text.rpartition('.')[2]}`")
        if is_itself or what.endswith(f"`{text.rpartition('.')[2]}`"):
            return ""
        name = f" through `{drawing.label(text)}`"
        is_looking = write.is_view and not isinstance(target, ast.Subscript)
        return f"{name}, a view of it" if is_looking else name

    def rows(self, groups: Sequence[Group]) -> tuple[str, ...]:
        """A line for each change and each call that needed the old value, by groups."""
        rows: list[tuple[str, str, str, str]] = []
        left, seen = MOST_VICTIMS, set()
        for group in groups:
            new = [write for write in group.writes if self._key(write) not in seen][:MOST_WRITES]
            seen |= {self._key(write) for write in new}
            needed = self._counted(group)
            rows += [*map(self._changed, new), *needed[: max(left, 0)]]
            left -= len(needed)
        more = (f"and {-left} more",) if left < 0 else ()
        return (*drawing.columns(rows), *self._same(groups), *more)

    def _counted(self, group: Group) -> list[tuple[str, str, str, str]]:
        needed: dict[tuple[str, str, str, str], int] = {}
        for victim in group.victims:
            row = self._needed(victim)
            needed[row] = needed.get(row, 0) + 1
        every = needed.items()
        return [(*row[:3], row[3] + (f", {times} times" if times > 1 else "")) for row, times in every]

    def _changed(self, write: Write) -> tuple[str, str, str, str]:
        at = self.place(write)
        before, after = next(iter(write.versions.values()))
        what = f"{shape_text(write.shape)} {write.dtype}"
        versions = several(len(write.versions), "parameter") if write.is_step else what
        counted = "" if write.is_step or write.untracked else f", version {before} → {after}"
        function = "an array of NumPy" if write.function == "numpy" else _function_name(write)
        where = _in(self.module(write))
        return "changed", at.name if at else "", at.text if at else function, versions + counted + where

    def _needed(self, victim: Victim) -> tuple[str, str, str, str]:
        call = victim.call
        at, module = self.needed_at(victim), self.names.module(call.module) if call else ""
        text = at.text if at else getattr(_own(victim.kept.node), "__qualname__", "")
        kept = f"{node_name(victim)} kept {self._what(victim)}{_in(module)}"
        return "needed", at.name if at else "", text, kept

    def needed_at(self, victim: Victim) -> Place | None:
        """Where the call stands that needed the old value, of a person's own Function as well."""
        return self.place(victim.call) or applied(_own(victim.kept.node))

    def _what(self, victim: Victim) -> str:
        if victim.kept.is_result:
            return "its result"
        name = self.names.parameter(victim.storage) or self._variable(victim)
        return f"`{name}`" if name else "its input" if victim.kept.name != "tensors" else "it"

    def _same(self, groups: Sequence[Group]) -> tuple[str, ...]:
        """That the name which is written to is other than the one that the kept value has."""
        lines: dict[str, None] = {}
        for group in groups:
            if group.first is None:
                continue
            name = self.written(group.first)
            others = ((self.result(each), self.place(each.call)) for each in group.victims)
            other, made = next((pair for pair in others if pair[0]), ("", None))
            if made and name and other and base(self.target(group.first)) != other:
                lines[f"`{name}` has the memory of `{other}` of {made.name}"] = None
        return tuple(lines)

    def evidence(self, groups: Sequence[Group], found: Sequence[Victim]) -> dict[str, Any]:
        """All of it as data."""
        writes = {id(write): write for group in groups for write in group.writes}
        ordered = [victim for group in groups for victim in group.victims]
        return {
            "changed": [self._mutation(write) for write in writes.values()],
            "needed": [self._need(victim) for victim in ordered[:MOST_VICTIMS]],
            "victims": len(found),
        }

    def _mutation(self, write: Write) -> dict[str, Any]:
        return {
            **_located(self.place(write)),
            "shape": list(write.shape),
            "dtype": write.dtype,
            "versions": None if write.is_step else next(iter(write.versions.values())),
            "view": write.is_view,
            "untracked": write.untracked,
            "optimizer": write.is_step,
        }

    def _need(self, victim: Victim) -> dict[str, Any]:
        return {
            **_located(self.place(victim.call)),
            "node": node_name(victim),
            "kept": victim.kept.name,
            "shape": list(victim.kept.tensor.shape),
            "dtype": dtype_name(victim.kept.tensor.dtype),
            "versions": victim.versions,
            "module": self.names.module(victim.call.module) if victim.call else "",
            "parameter": self.names.parameter(victim.storage),
        }


def node_name(victim: Victim) -> str:
    """The class of the node that kept the value."""
    return type(victim.kept.node).__name__


def _located(at: Place | None) -> dict[str, Any]:
    return {
        "file": at.file if at else "",
        "line": at.line if at else None,
        "text": at.text if at else "",
    }


def _leaves(roots: Iterable[Any]) -> Iterable[tuple[int, Any]]:
    """The leaves below the roots, by their memory."""
    for node in graphs.walk(roots):
        leaf = getattr(node, "variable", None) if not node.next_functions else None
        storage = None if leaf is None else storage_of(leaf)
        if storage is not None:
            yield storage, leaf


def is_of_list(write: Write) -> bool:
    """Whether a call is given a list of tensors to change."""
    return _function_name(write).startswith("_foreach")


def _function_name(write: Write) -> str:
    return str(getattr(write.function, "__name__", write.function))


def _in(module: str) -> str:
    return f", in module {module}" if module else ""


def _own(node: Any) -> Any:
    """The person's own Function that a node was made by, None where it is one of torch's."""
    return getattr(type(node), "_forward_cls", None)
