"""AGX409, AGX451 and AGX415: what changed a value that backward needs, and every call that needed it."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autograd_cli.diagnose.watching import graphs, repairs
from autograd_cli.diagnose.watching.arrays import touches
from autograd_cli.diagnose.watching.changes import MOST_WRITES, Group, Victim, Words, is_of_list
from autograd_cli.diagnose.watching.mode import storage_of
from autograd_cli.diagnose.watching.places import Place, base, place
from autograd_cli.diagnose.watching.records import Call, Log, Spot, Write
from autograd_cli.diagnose.watching.repairs import Change
from autograd_cli.diagnose.watching.targets import Written
from autograd_cli.diagnose.watching.told import make
from autograd_cli.errors import first_line
from autograd_cli.lang.source import several
from autograd_cli.report.diagnosis import Placed


def failed(log: Log, roots: Sequence[Any], error: BaseException, at: Spot | None) -> Placed | None:
    """The finding for a backward at `at` that torch refused; None where no node of the graph tells why."""
    found: list[Victim] = []
    for node in graphs.walk(roots):
        for kept in graphs.kept_by(node):
            changed, storage = graphs.change(kept), storage_of(kept.tensor)
            if changed is not None and storage is not None:
                call = log.made(node._sequence_nr())
                guilty = [w for w in log.writes.into(storage) if _is_later(w, changed.expected, call)]
                versions = (changed.expected, changed.version)
                found.append(_known(log, Victim(kept, storage, call, tuple(guilty), versions)))
    return _finding(_ordered(found), error, Words(log, roots), place(at)) if found else None


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


def unseen(log: Log, roots: Sequence[Any], writes: Sequence[Write], at: Spot | None) -> Placed | None:
    """The finding for values that were changed where torch does not see it, before the backward at `at`."""
    found: list[Victim] = []
    for node in graphs.walk(roots):
        for kept, storage in graphs.storages(node):
            into = [write for write in writes if storage in write.versions]
            call = log.made(node._sequence_nr()) if into else None
            since = [w for w in into if _is_since(w, call, node) and touches(w, kept.tensor)]
            if since and graphs.change(kept) is None:
                found.append(_known(log, Victim(kept, storage, call, tuple(since))))
    return _silent(_ordered(found), Words(log, roots), place(at)) if found else None


def _is_since(write: Write, call: Call | None, node: Any) -> bool:
    if call is None:
        return not write.since and write.sequence > int(node._sequence_nr())
    return write.since <= call.order < write.order


def _ordered(found: list[Victim]) -> list[Victim]:
    return sorted(found, key=lambda v: v.call.order if v.call else v.kept.node._sequence_nr())


# What is told


def _finding(found: list[Victim], error: BaseException, words: Words, backward: Place | None) -> Placed:
    groups = words.groups(found)
    first = groups[0].first
    at = words.place(first)
    is_step = first is not None and first.is_step
    return make(
        "AGX451" if is_step else "AGX409",
        " ".join([_sentence(groups[0], words), *(_also(each, words) for each in groups[1:MOST_WRITES])]),
        at or _needed_at(found, words),
        torch=first_line(error),
        cause=words.rows(groups),
        fix=_fixes(groups, words, backward),
        also=("recurrent-state-not-detached",) if is_step and any(v.is_carried for v in found) else (),
        **words.evidence(groups, found),
    )


def _silent(found: list[Victim], words: Words, backward: Place | None) -> Placed:
    groups = words.groups(found)
    first = groups[0].writes[0]
    at = words.place(first)
    what = words.called(groups[0].victims[0])
    after = f" before the backward of {backward.name}" if backward else ""
    return make(
        "AGX415",
        f"{what} was changed{words.through(first, what)}{after}, where torch does not see it: the "
        "gradient is computed from the new values, without an error.",
        at or _needed_at(found, words),
        cause=words.rows(groups),
        fix=(f"make the change after the backward, or {_copied(first)}",),
        **words.evidence(groups, found),
    )


def _copied(write: Write) -> str:
    if write.function == "numpy":
        return "give torch a copy of the array, or NumPy one of the tensor: `.numpy().copy()`"
    return "change a copy: `.detach().clone()`"


def _needed_at(found: Sequence[Victim], words: Words) -> Place | None:
    places = (words.place(victim.call) for victim in found)
    return next((each for each in places if each), None)


def _sentence(group: Group, words: Words) -> str:
    first, what = group.first, words.called(group.victims[0])
    was = "were" if (others := _others(group, words)) else "was"
    what = f"{what} and {others}" if others else what
    count = len({id(victim.kept.node) for victim in group.victims})
    needed = f"{count} calls needed" if count > 1 else "a call needed"
    if first is None:
        return f"{what} {was} changed in place where the watch does not see it, and {needed} its old value."
    if first.is_step:
        what = what[0].lower() + what[1:]
        return f"The optimizer's step changed {what} before this backward, and {needed} its old value."
    return f"{what} {was} changed in place{words.through(first, what)}, and {needed} its old value."


def _others(group: Group, words: Words) -> str:
    """How many tensors of other names the same place has changed as well; not those of a loop's rounds."""
    called = {victim.storage: words.called(victim) for victim in reversed(group.victims)}
    own = words.called(group.victims[0])
    count = sum(name != own for name in called.values())
    return several(count, "other tensor") if count else ""


def _also(group: Group, words: Words) -> str:
    """The sentence on what another place changed."""
    at = words.place(group.first)
    return f"{at.name}: {_sentence(group, words)}" if at else _sentence(group, words)


# What to write instead


def _fixes(groups: Sequence[Group], words: Words, backward: Place | None) -> tuple[str, ...]:
    if groups[0].first is None:
        return (repairs.ANEW,)
    fixes: dict[str, None] = {}
    for group, write in _guilty(groups, words)[:MOST_WRITES]:
        fixes |= dict.fromkeys(_repairs(group, write, words, backward))
    return tuple(fixes)


def _guilty(groups: Sequence[Group], words: Words) -> list[tuple[Group, Write]]:
    """The writes that have to be mended: the first of each group, and those after it through other names."""
    found: list[tuple[Group, Write]] = []
    for group in groups:
        names: set[str] = set()
        for write in group.writes:
            name = base(words.target(write))
            if name not in names and not any(write is other for _, other in found):
                found.append((group, write))
            names.add(name)
    return found


def _repairs(group: Group, write: Write, words: Words, backward: Place | None) -> list[str]:
    at = words.place(write)
    if at is None:
        return [repairs.ANEW]
    if write.is_step:
        return _of_step(group, at, words)
    if any(map(words.is_leaf, group.victims)):
        after = f"the backward of {backward.name}" if backward else "the backward"
        return [f"make the change of {at.name} after {after}"]
    if module := words.module(write):
        every = [name for each in group.writes if _is_inplace(each) and (name := words.module(each))]
        made = f"give {_listed(list(dict.fromkeys(every)))} inplace=False" if module in every else ""
        return [made or f"make the change of {at.name}, in module {module}, after the backward"]
    return repairs.repairs(_change(group, write, at, words))


def _is_inplace(write: Write) -> bool:
    """Whether the module that made a write says that it works in place."""
    return getattr(write.module and write.module(), "inplace", False) is True


def _listed(named: list[str]) -> str:
    """Modules in words, not too many."""
    if len(named) == 1:
        return f"the module {named[0]}"
    shown = named if len(named) <= MOST_WRITES + 1 else [*named[:MOST_WRITES], "the others like them"]
    return f"the modules {', '.join(shown[:-1])} and {shown[-1]}"


def _of_step(group: Group, at: Place, words: Words) -> list[str]:
    again = _needed_at(group.victims, words)
    if again and any(victim.is_carried for victim in group.victims):
        return [f"cut what {again.name} carries from round to round: h = h.detach() before it"]
    rerun = f"or run {again.name} again after {at.name}" if again else "or run the forward again"
    return [f"call this backward before {at.name}", f"{rerun}, with detach() where networks share a value"]


def _change(group: Group, write: Write, at: Place, words: Words) -> Change:
    """The change of a write with what the records tell of its tensor."""
    named = {name for victim in group.victims if (name := words.result(victim))}
    needed = tuple(each for victim in group.victims if (each := words.needed_at(victim)))
    target = words.target(write)
    if target is None:
        return Change(at, None, needed)
    every = (each for victim in group.victims for each in victim.writes)
    items = [each for each in every if _is_item(each) and _is_at(words.place(each), at)]
    of = items[0] if isinstance(target, ast.Subscript) and items else write
    is_item = of is not write or _is_item(write)
    what = Written(target, is_item, of.is_view, named, is_of_list(write))
    is_other = bool(named) and base(target) not in named
    return Change(at, what, needed, is_other, words.is_off(group, write))


def _is_item(write: Write) -> bool:
    return getattr(write.function, "__name__", "") == "__setitem__"


def _is_at(one: Place | None, other: Place) -> bool:
    return one is not None and (one.file, one.line, one.text) == (other.file, other.line, other.text)
