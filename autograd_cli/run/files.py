"""Bindings from data files and standard input.

Nothing is unpickled, but for weights alone by torch, once it is known what they are.
"""

import csv
import io
import json
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import torch

from autograd_cli.errors import AgxError, MissingError, first_line, missing_file
from autograd_cli.lang.arithmetic import refuse_items, too_many
from autograd_cli.lang.source import several
from autograd_cli.report.values import is_number
from autograd_cli.run.readable import Data, unreadable, within
from autograd_cli.run.settings import Settings

_SUFFIXES = ".npy, .npz (with :name), .csv (with :column), .json, .pt (with :name)"
_DEEPEST = 64
"""Levels of lists in a file: a tensor has no more dimensions."""


def read(reference: str, stdin: str | None, settings: Settings) -> Any:
    """The value that `@reference` stands for: "data.npy", "data.npz:w", "-" for `stdin`.

    A tensor for .npy, .npz and .pt, sharing no memory with anything; a number or a list for
    JSON, a list of floats for CSV. Raises MissingError AGX206 for a file that is not
    there, InputError AGX207 for one that cannot be read, LimitError AGX604 for one
    that holds more than `max_memory` bytes, AGX606 for a list of more than `max_items`.
    """
    if reference == "-":
        return numbers(stdin or "", "standard input", settings.max_items)
    path, part = _split(reference)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise unreadable(reference, f"a file of kind `{path.suffix}` cannot be read", f"Use {_SUFFIXES}.")
    if part and reader in (_npy, _json):
        raise unreadable(
            reference, f"a {path.suffix} file holds one value and no part `{part}`", f"Write @{path}."
        )
    try:
        with _opened(path) as stream:
            within(str(path), os.fstat(stream.fileno()).st_size, settings.max_memory)
            return reader(Data(stream, str(path), part, settings))
    except AgxError:
        raise
    except Exception as error:  # whatever a reader makes of a file that is not what it claims to be
        raise unreadable(reference, _why(error)) from None


def _why(error: Exception) -> str:
    """What is wrong with a file whose reader raised, where its own words are about Python, in ours."""
    if isinstance(error, RecursionError | MemoryError):
        return "what it holds nests too deep"
    if isinstance(error, UnicodeDecodeError):
        return f"it is no UTF-8 text: byte 0x{error.object[error.start]:02x} at offset {error.start}"
    if "integer string conversion" in str(error):
        return "it holds a whole number of more digits than are read"
    if isinstance(error, csv.Error):
        return f"it is no table as CSV has it: {first_line(error)}"
    return first_line(error)


def numbers(text: str, name: str, max_items: int) -> Any:
    """JSON, or numbers between white space or commas: one number, or a list of them."""
    _refuse_many(name, text.count(","), max_items)
    try:
        return _checked(json.loads(text), name, max_items)
    except (ValueError, RecursionError):
        words = text.replace(",", " ").split()
    _refuse_many(name, len(words), max_items)
    try:
        found = [float(word) for word in words]
    except ValueError:
        raise unreadable(name, "it holds neither JSON nor numbers") from None
    if not found:
        raise unreadable(name, "it is empty")
    return found[0] if len(found) == 1 else found


def _refuse_many(name: str, count: int, max_items: int) -> None:
    """Nothing, or LimitError AGX606 where what is in a text is more than a list may hold."""
    if count > max_items:
        raise too_many(f"`{name}` holds a list of at least", count, max_items)


def _split(reference: str) -> tuple[Path, str]:
    """A path and the part after a colon, which names an array or a column."""
    if Path(reference).exists() or ":" not in reference:
        return Path(reference), ""
    path, _, part = reference.rpartition(":")
    return Path(path), part


def _opened(path: Path) -> BinaryIO:
    """The file, open; what is no file on disk is refused before it is read, and a pipe before it blocks."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise MissingError("AGX206", f"`{path}` is a directory, not a file.", hint="Name a file in it.")
        if not stat.S_ISREG(mode):
            raise unreadable(
                str(path),
                "it is a device or a pipe, of which nobody knows how much it holds",
                "Pipe it in and write @-, or save it to a file.",
            )
        return path.open("rb")
    except OSError as error:
        raise missing_file(str(path), error) from None


def _npy(data: Data) -> torch.Tensor:
    size = os.fstat(data.stream.fileno()).st_size
    return _array(data.stream, size, data.name, data.settings.max_memory)


def _npz(data: Data) -> torch.Tensor:
    limit = data.settings.max_memory
    with zipfile.ZipFile(data.stream) as archive:
        part = _entry(data, [name.removesuffix(".npy") for name in archive.namelist()])
        info = archive.getinfo(f"{part}.npy")
        within(f"{data.name}:{part}", info.file_size, limit)
        with archive.open(info) as stream:
            content = io.BytesIO(stream.read(info.file_size + 1))
    return _array(content, len(content.getvalue()), f"{data.name}:{part}", limit)


def _entry(data: Data, names: list[str]) -> str:
    """The array that is asked for; without a name, the only one there is."""
    part = data.part or (names[0] if len(names) == 1 else "")
    if part not in names:
        listed = ", ".join(names[:10]) or "none"
        raise unreadable(
            data.name,
            f"it holds no array `{part}`" if part else f"it holds {len(names) or 'no'} arrays",
            f"Write @{data.name}:NAME with one of: {listed}.",
        )
    return part


def _array(stream: Any, size: int, name: str, limit: int) -> torch.Tensor:
    """The array in a .npy stream of `size` bytes; its header is checked before its data."""
    shape, dtype = _header(stream, name)
    if dtype.hasobject:
        raise unreadable(
            name, "it holds Python objects, which only unpickling could read", "Save it with a numeric dtype."
        )
    claimed = int(np.prod([1, *shape], dtype=object)) * dtype.itemsize
    within(name, claimed, limit)
    if claimed != size - stream.tell():
        raise unreadable(name, f"its header claims {claimed} bytes and {size - stream.tell()} follow")
    stream.seek(0)
    array = np.lib.format.read_array(stream, allow_pickle=False)
    native = array.astype(array.dtype.newbyteorder("="), order="C", copy=False)
    try:
        return torch.from_numpy(native)
    except TypeError:
        raise unreadable(name, f"torch has no dtype for {array.dtype}", "Save it as float or int.") from None


def _header(stream: Any, name: str) -> tuple[tuple[int, ...], Any]:
    """The shape and the dtype that a .npy stream begins with."""
    try:
        version = np.lib.format.read_magic(stream)
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read(stream)
    except Exception:  # numpy's words are about its parser, and repeat the header
        raise unreadable(name, "it does not begin with a header as numpy.save writes it") from None
    return shape, dtype


def _json(data: Data) -> Any:
    text = data.text()
    _refuse_many(data.name, text.count(","), data.settings.max_items)
    return _checked(json.loads(text), data.name, data.settings.max_items)


def _csv(data: Data) -> list[Any]:
    """A column by name or number, else all columns, as floats; a first row of words is a header."""
    text = data.text()
    _refuse_many(data.name, text.count(",") + text.count("\n"), data.settings.max_items)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise unreadable(data.name, f"row {line} holds a null byte, which no text has")
    rows = list(_rows(data.name, text))
    header = [] if not rows or all(map(is_number, rows[0][1])) else rows[0][1]
    body = rows[1:] if header else rows
    if not body:
        raise unreadable(data.name, "it holds no rows of numbers")
    width = len(body[0][1])
    if data.part:
        column = _column(data, header, width)
        return [_cell(data.name, row, column) for row in body]
    table = [[_cell(data.name, row, i) for i in range(width)] for row in body]
    return [row[0] for row in table] if width == 1 else table


_Row = tuple[int, list[str]]
"""A row of a CSV file with its number, the first being 1."""


def _rows(name: str, text: str) -> Iterator[_Row]:
    """The rows that are not empty; InputError AGX207 where one is longer or shorter than the first."""
    first: _Row | None = None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    for cells in reader:
        row = (reader.line_num, cells)
        if not cells:
            continue
        first = first or row
        if len(cells) != len(first[1]):
            raise unreadable(
                name,
                f"row {row[0]} has {several(len(cells), 'column')}, "
                f"row {first[0]} has {several(len(first[1]), 'column')}",
                "Every row has as many columns as the first.",
            )
        yield row


def _column(data: Data, header: list[str], width: int) -> int:
    names = [name.strip() for name in header]
    if data.part in names:
        return names.index(data.part)
    if data.part.isdecimal() and int(data.part) < width:
        return int(data.part)
    known = ", ".join(names) if names else f"0 to {width - 1}"
    raise unreadable(data.name, f"it has no column `{data.part}`", f"Its columns are: {known}.")


def _cell(name: str, row: _Row, column: int) -> float:
    text = row[1][column]
    try:
        return float(text)
    except ValueError:
        found = f"`{text[:40]}`" if text.strip() else "nothing"
        raise unreadable(name, f"row {row[0]}, column {column} holds {found} where a number is due") from None


def _checked(value: Any, name: str, max_items: int) -> Any:
    """`value` if it is a number, or a list of numbers of no more than `max_items`."""
    refuse_items(f"`{name}` holds", value, max_items)
    level, depth = [value], 0
    while level:
        lists = [item for item in level if isinstance(item, list)]
        odd = next((item for item in level if not isinstance(item, int | float | list)), level)
        if odd is not level:
            raise unreadable(name, f"it holds {type(odd).__name__} where numbers and lists of them are due")
        depth += bool(lists)
        if depth > _DEEPEST:
            raise unreadable(name, f"its lists nest more than {_DEEPEST} deep")
        level = [item for one in lists for item in one]
    return value


def _pt(data: Data) -> Any:
    from autograd_cli.run import checkpoints  # few runs read one

    return _numbers_of(data, checkpoints.read(data))


def _numbers_of(data: Data, value: Any) -> Any:
    """`value` if it is a tensor, or numbers as a list holds them."""
    return value if isinstance(value, torch.Tensor) else _checked(value, data.name, data.settings.max_items)


_READERS: dict[str, Callable[[Data], Any]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".json": _json,
    ".csv": _csv,
    ".pt": _pt,
    ".pth": _pt,
}
