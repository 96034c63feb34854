"""Bindings from data files and standard input. Nothing is ever unpickled."""

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from autograd_cli.errors import AgxError, InputError, LimitError, MissingError
from autograd_cli.run.limits import in_bytes

_SUFFIXES = ".npy, .npz (with :name), .csv (with :column), .json"


def read(reference: str, stdin: str | None, limit: int) -> Any:
    """The value that `@reference` stands for: "data.npy", "data.npz:w", "-" for `stdin`.

    A tensor for .npy and .npz, sharing no memory with anything; a number or a list for
    JSON, a list of floats for CSV. Raises MissingError AGX206 for a file that is not
    there, InputError AGX207 for one that cannot be read, LimitError AGX604 for one
    that holds more than `limit` bytes.
    """
    if reference == "-":
        return numbers(stdin or "", "standard input")
    path, part = _split(reference)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise _unreadable(reference, f"a file of kind `{path.suffix}` cannot be read", f"Use {_SUFFIXES}.")
    _present(path, limit)
    try:
        return reader(path, part, limit)
    except AgxError:
        raise
    except (OSError, ValueError, TypeError, KeyError, EOFError, zipfile.BadZipFile, RecursionError) as error:
        raise _unreadable(reference, str(error).split("\n")[0] or type(error).__name__) from None


def numbers(text: str, name: str) -> Any:
    """JSON, or numbers between white space or commas: one number, or a list of them."""
    try:
        return _checked(json.loads(text), name)
    except (ValueError, RecursionError):
        words = text.replace(",", " ").split()
    try:
        found = [float(word) for word in words]
    except ValueError:
        raise _unreadable(name, "it holds neither JSON nor numbers") from None
    if not found:
        raise _unreadable(name, "it is empty")
    return found[0] if len(found) == 1 else found


def _split(reference: str) -> tuple[Path, str]:
    """A path and the part after a colon, which names an array or a column."""
    if Path(reference).exists() or ":" not in reference:
        return Path(reference), ""
    path, _, part = reference.rpartition(":")
    return Path(path), part


def _present(path: Path, limit: int) -> None:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise MissingError(
            "AGX206", f"The file `{path}` cannot be read: {error.strerror}.", hint="Check the name."
        ) from None
    if path.is_dir():
        raise MissingError("AGX206", f"`{path}` is a directory, not a file.", hint="Name a file in it.")
    _within(str(path), size, limit)


def _within(name: str, size: int, limit: int) -> None:
    if size > limit:
        raise LimitError(
            "AGX604",
            f"`{name}` holds {in_bytes(size)}; the limit is {in_bytes(limit)}.",
            hint="Raise it with --max-memory.",
        )


def _npy(path: Path, part: str, limit: int) -> torch.Tensor:
    with path.open("rb") as stream:
        return _array(stream, path.stat().st_size, str(path), limit)


def _npz(path: Path, part: str, limit: int) -> torch.Tensor:
    with zipfile.ZipFile(path) as archive:
        names = [n.removesuffix(".npy") for n in archive.namelist()]
        if not part and len(names) == 1:
            part = names[0]
        if part not in names:
            listed = ", ".join(names[:10]) or "none"
            raise _unreadable(
                str(path),
                f"it holds no array `{part}`" if part else "it holds several arrays",
                f"Write @{path}:NAME with one of: {listed}.",
            )
        info = archive.getinfo(f"{part}.npy")
        _within(f"{path}:{part}", info.file_size, limit)
        with archive.open(info) as stream:
            content = io.BytesIO(stream.read(info.file_size + 1))
    return _array(content, len(content.getvalue()), f"{path}:{part}", limit)


def _array(stream: Any, size: int, name: str, limit: int) -> torch.Tensor:
    """The array in a .npy stream of `size` bytes; its header is checked before its data."""
    version = np.lib.format.read_magic(stream)
    read_header = (
        np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = read_header(stream)
    if dtype.hasobject:
        raise _unreadable(
            name, "it holds Python objects, which only unpickling could read", "Save it with a numeric dtype."
        )
    claimed = int(np.prod([1, *shape], dtype=object)) * dtype.itemsize
    _within(name, claimed, limit)
    if claimed != size - stream.tell():
        raise _unreadable(name, f"its header claims {claimed} bytes and {size - stream.tell()} follow")
    stream.seek(0)
    array = np.lib.format.read_array(stream, allow_pickle=False)
    native = array.astype(array.dtype.newbyteorder("="), order="C", copy=True)
    try:
        return torch.from_numpy(native)
    except TypeError:
        raise _unreadable(name, f"torch has no dtype for {array.dtype}", "Save it as float or int.") from None


def _json(path: Path, part: str, limit: int) -> Any:
    return _checked(json.loads(path.read_text(encoding="utf-8-sig")), str(path))


def _csv(path: Path, part: str, limit: int) -> list[Any]:
    """A column by name or number, else all columns, as floats; a first row of words is a header."""
    rows = [row for row in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()) if row]
    header = rows[0] if rows and not all(map(_is_number, rows[0])) else []
    body = rows[1:] if header else rows
    if not body:
        raise _unreadable(str(path), "it holds no rows of numbers")
    if part:
        column = _column(path, part, header, len(body[0]))
        return [_cell(path, row, column) for row in body]
    table = [[_cell(path, row, i) for i in range(len(body[0]))] for row in body]
    return [row[0] for row in table] if len(body[0]) == 1 else table


def _column(path: Path, part: str, header: list[str], width: int) -> int:
    names = [name.strip() for name in header]
    if part in names:
        return names.index(part)
    if part.isdecimal() and int(part) < width:
        return int(part)
    known = ", ".join(names) if names else f"0 to {width - 1}"
    raise _unreadable(str(path), f"it has no column `{part}`", f"Its columns are: {known}.")


def _cell(path: Path, row: list[str], index: int) -> float:
    try:
        return float(row[index])
    except (IndexError, ValueError):
        found = f"`{row[index]}`" if index < len(row) else "nothing"
        raise _unreadable(str(path), f"column {index} holds {found} where a number is due") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _checked(value: Any, name: str) -> Any:
    """`value` if it is a number, or a list of numbers of one shape."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, list):
            pending.extend(item)
        elif not isinstance(item, int | float):
            raise _unreadable(name, f"it holds {type(item).__name__} where numbers and lists of them are due")
    return value


def _unreadable(name: str, why: str, hint: str = "") -> InputError:
    return InputError("AGX207", f"`{name}` cannot be used as a value: {why}.", hint=hint)


_READERS: dict[str, Callable[[Path, str, int], Any]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".json": _json,
    ".csv": _csv,
}
