"""Tensors from what torch.save wrote; nothing is unpickled but by torch, with weights only.

torch trusts the numbers in such a file: a storage may claim more elements than the archive
holds for it, and is then read beyond its end. So the pickle is first read as a list of
instructions, which builds nothing, and every storage in it is compared with its part of the
archive. Then what was compared, and only that, is given to torch.
"""

import io
import pickletools
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

import torch

from autograd_cli.errors import AgxError
from autograd_cli.report.values import bytes_text
from autograd_cli.run.readable import Data, unreadable, within

MOST_PARTS = 10_000
"""An archive of more parts is not read."""

MOST_INSTRUCTIONS = 16 << 20
"""Bytes of the pickle that says what the tensors are; a longer one is not read."""

_DEEPEST = 1_000
"""Lists, dicts and tuples that are begun in one another."""

_WIDTHS = {
    **dict.fromkeys(("Double", "Long", "ComplexFloat"), 8),
    **dict.fromkeys(("Float", "Int"), 4),
    **dict.fromkeys(("Half", "BFloat16", "Short"), 2),
    **dict.fromkeys(("Char", "Byte", "Bool"), 1),
    "ComplexDouble": 16,
}
_STORAGES = {f"torch {name}Storage": width for name, width in _WIDTHS.items()} | {
    "torch.storage UntypedStorage": 1
}
"""Bytes of an element of each kind of storage, by its name in a pickle."""

_GLOBALS = frozenset(
    {
        *_STORAGES,
        "collections OrderedDict",
        "torch Size",
        "torch Tensor",
        "torch._utils _rebuild_parameter",
        "torch._utils _rebuild_tensor_v2",
        "torch._utils _rebuild_tensor_v3",
        "torch.nn.parameter Parameter",
        *(f"torch {name}" for name, value in vars(torch).items() if isinstance(value, torch.dtype)),
    }
)

_LISTED = 10
"""Names of tensors that a message lists."""

_VISITED = 1_000
"""Entries of dicts in dicts that are looked at for their names."""


def read(data: Data) -> Any:
    """The tensor, the number or the list of numbers in a file of torch.save, on the CPU.

    Of a dict the entry that `data.part` names; `a.b` is entry `b` of the dict `a`. Raises
    InputError AGX207, LimitError AGX604 where the parts hold more than max_memory.
    """
    content = data.stream.read(data.settings.max_memory + 1)
    within(data.name, len(content), data.settings.max_memory)
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise unreadable(
            data.name,
            "it is no archive as torch.save writes since torch 1.6",
            "Load it where it came from and save it again with torch.save.",
        )
    parts = _parts(data, content)
    del content
    _compare(data, parts)
    try:
        loaded = torch.load(_archive(parts), weights_only=True, map_location="cpu")
    except Exception:  # torch's words are about its own inside
        raise unreadable(
            data.name, "torch does not read it: a tensor in it does not fit its storage, or it is damaged"
        ) from None
    return _plain(data, _chosen(data, loaded))


def _parts(data: Data, content: bytes) -> dict[str, bytes]:
    """What the archive holds, by name without its folder; nothing else of it is used."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        infos = archive.infolist()
        if len(infos) > MOST_PARTS:
            raise unreadable(data.name, f"it holds {len(infos):,} parts, and {MOST_PARTS:,} are the most")
        within(data.name, sum(info.file_size for info in infos), data.settings.max_memory)
        names = [info.filename.partition("/")[2] for info in infos]
        if len(set(names)) < len(names) or "data.pkl" not in names:
            raise unreadable(data.name, "it is an archive of another kind than torch.save writes")
        held = infos[names.index("data.pkl")].file_size
        if held > MOST_INSTRUCTIONS:
            most = bytes_text(MOST_INSTRUCTIONS)
            raise unreadable(data.name, f"its data.pkl takes {bytes_text(held)}, and {most} are the most")
        parts = {name: archive.read(info) for name, info in zip(names, infos, strict=True)}
    order = parts.get("byteorder", b"little").decode("latin-1")
    if order != sys.byteorder:
        raise unreadable(data.name, f"its numbers are stored in the byte order `{order}`")
    return parts


def _archive(parts: Mapping[str, bytes]) -> io.BytesIO:
    """The parts as an archive of their own, in which there is nothing that was not looked at."""
    fresh = io.BytesIO()
    with zipfile.ZipFile(fresh, "w") as archive:
        for name, part in parts.items():
            if name in ("data.pkl", "version", "byteorder") or name.startswith("data/"):
                archive.writestr(f"archive/{name}", part)
    fresh.seek(0)
    return fresh


def _compare(data: Data, parts: Mapping[str, bytes]) -> None:
    """Refuse a pickle that makes anything but tensors, or a storage that is not as long as its part."""
    for instruction in _followed(data, parts["data.pkl"]):
        match instruction:
            case ("storage", str(kind), str(key), str(), int(count)) if kind in _STORAGES:
                claimed, held = count * _STORAGES[kind], len(parts.get(f"data/{key}", b""))
            case _:
                raise unreadable(data.name, "it refers to something that is no storage of a tensor")
        if claimed != held:
            raise unreadable(
                data.name, f"the storage `{key}` claims {claimed:,} bytes, and the file holds {held:,} of it"
            )


def _followed(data: Data, pickle: bytes) -> Iterator[Any]:
    """The storages that a pickle names; InputError AGX207 where it is no pickle, or an odd one."""
    try:
        yield from _Instructions(data.name).storages(pickle)
    except AgxError:
        raise
    except Exception:  # the words of pickletools, and of what is missing on the stack
        raise unreadable(data.name, "its data.pkl is cut off or damaged") from None


class _Mark:
    """What the instruction MARK puts on the stack."""


class _Instructions:
    """The instructions of a pickle followed with words for values: nothing is built or called."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.stack: list[Any] = []
        self.memo: dict[Any, Any] = {}
        self.begun = 0

    def storages(self, pickle: bytes) -> Iterator[Any]:
        """What each storage of the pickle is said to be, in order."""
        for code, argument, _ in pickletools.genops(pickle):
            if code.name == "BINPERSID":
                yield self.stack.pop()
                self.stack.append(None)
                continue
            step = _STEPS.get(code.name)
            if step is None:
                raise unreadable(self.name, f"its instruction {code.name} has no place in a file of tensors")
            step(self, argument)

    def put(self, argument: Any) -> None:
        """Remember the top of the stack."""
        self.memo[argument] = self.stack[-1]

    def glob(self, argument: str) -> None:
        """The name of something outside of the pickle."""
        if argument not in _GLOBALS:
            raise unreadable(
                self.name,
                f"it holds an object of `{argument.replace(' ', '.')}`, and only tensors, numbers, lists and "
                "dicts of them are read",
                "Save the tensors alone: torch.save(model.state_dict(), ...).",
            )
        self.stack.append(argument)

    def tuple(self, count: int | None) -> None:
        """A tuple of the last `count` values, or of those since the mark."""
        items = self.since_mark() if count is None else [self.stack.pop() for _ in range(count)][::-1]
        self.stack.append(tuple(items))

    def mark(self) -> None:
        """The beginning of a list, a dict or a tuple."""
        self.begun += 1
        if self.begun > _DEEPEST:
            raise unreadable(self.name, f"what it holds nests more than {_DEEPEST:,} deep")
        self.stack.append(_Mark())

    def since_mark(self) -> list[Any]:
        """The values since the mark, which leave the stack with it."""
        items = []
        self.begun -= 1
        while not isinstance(item := self.stack.pop(), _Mark):
            items.append(item)
        return items[::-1]

    def drop(self, count: int, result: bool = False) -> None:
        """Take `count` values away, and put one of which nothing is known in their place."""
        del self.stack[len(self.stack) - count :]
        if result:
            self.stack.append(None)


_Step = Callable[[_Instructions, Any], Any]

_STEPS: dict[str, _Step] = {
    **dict.fromkeys(
        ["BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE"],
        lambda of, argument: of.stack.append(argument),
    ),
    **dict.fromkeys(
        ["EMPTY_DICT", "EMPTY_LIST", "EMPTY_SET", "NONE", "NEWTRUE", "NEWFALSE"],
        lambda of, _: of.stack.append(None),
    ),
    **dict.fromkeys(["BINPUT", "LONG_BINPUT"], _Instructions.put),
    **dict.fromkeys(["BINGET", "LONG_BINGET"], lambda of, argument: of.stack.append(of.memo[argument])),
    **dict.fromkeys(["REDUCE", "NEWOBJ"], lambda of, _: of.drop(2, True)),
    **dict.fromkeys(["SETITEMS", "APPENDS"], lambda of, _: of.since_mark()),
    **dict.fromkeys(["PROTO", "STOP"], lambda of, _: None),
    **dict.fromkeys(["BUILD", "APPEND"], lambda of, _: of.drop(1)),
    "SETITEM": lambda of, _: of.drop(2),
    "GLOBAL": _Instructions.glob,
    "MARK": lambda of, _: of.mark(),
    "EMPTY_TUPLE": lambda of, _: of.tuple(0),
    "TUPLE": lambda of, _: of.tuple(None),
    "TUPLE1": lambda of, _: of.tuple(1),
    "TUPLE2": lambda of, _: of.tuple(2),
    "TUPLE3": lambda of, _: of.tuple(3),
}
"""What each instruction does to the stack; those of torch's own reader of weights, and no others."""


def _chosen(data: Data, loaded: Any) -> Any:
    """The entry that is asked for; of a file that holds one value, that value."""
    if not isinstance(loaded, dict):
        if data.part:
            raise unreadable(
                data.name, f"it holds one value and no part `{data.part}`", f"Write @{data.name}."
            )
        return loaded
    names = list(_names(loaded))
    found = _entry(loaded, data.part) if data.part else None
    if found is not None and not isinstance(found, dict):
        return found
    listed = ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "") or "none"
    near = get_close_matches(data.part, names, 1) if data.part and found is None else []
    if isinstance(found, dict):
        inside = [name for name in names if name.startswith(f"{data.part}.")][:_LISTED]
        why, listed = f"`{data.part}` is a dict", ", ".join(inside) or "none"
    else:
        why = f"it holds no entry `{data.part}`" if data.part else "it holds a dict"
    meant = f"Did you mean @{data.name}:{near[0]}? " if near else ""
    raise unreadable(data.name, why, f"{meant}Write @{data.name}:NAME with one of: {listed}.")


def _names(loaded: dict[Any, Any]) -> Iterator[str]:
    """The names of what is no dict, in dicts in dicts with a dot between, as far as they are looked at."""
    waiting, seen = [("", loaded)], 0
    while waiting and seen < _VISITED:
        prefix, entries = waiting.pop(0)
        for key, value in entries.items():
            seen += 1
            if isinstance(value, dict):
                waiting.append((f"{prefix}{key}.", value))
            else:
                yield f"{prefix}{key}"
            if seen >= _VISITED:
                return


def _entry(entries: dict[Any, Any], part: str) -> Any:
    """The entry named `part`, also `a.b` for entry `b` of entry `a`; None where there is none."""
    if part in entries:
        return entries[part]
    for end in (i for i, char in enumerate(part) if char == "."):
        inner = entries.get(part[:end])
        if isinstance(inner, dict) and (found := _entry(inner, part[end + 1 :])) is not None:
            return found
    return None


def _plain(data: Data, value: Any) -> Any:
    """The value as a binding takes it: a tensor of its own memory, a number, a list of numbers."""
    if not isinstance(value, torch.Tensor):
        if isinstance(value, tuple | list):
            return list(value)
        return value
    if value.layout is not torch.strided or value.device.type != "cpu" or value.is_quantized:
        raise unreadable(data.name, "it holds a tensor of a kind that is not read: only dense ones are")
    within(data.name, value.numel() * value.element_size(), data.settings.max_memory)
    return value.detach().contiguous().clone()
