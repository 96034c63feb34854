"""Reports to and from strict JSON, keys as the fields of the records.

Two differences: `from_` of an edge is written "from", and numbers that JSON lacks are
the strings "nan", "inf" and "-inf" or, complex, objects with `real` and `imag`. The
schema of the result is `schema.json` beside this file.
"""

import json
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from autograd_cli.errors import InputError
from autograd_cli.report.records import MOST_ELEMENTS, SCHEMA, Report, Span, Summary, Values
from autograd_cli.report.values import at_most

MOST_CHARACTERS = 256 * 1024 * 1024
MOST_DIMENSIONS = 64
_Record = TypeVar("_Record")
_NOT_FINITE = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}


def to_json(report: Report, full: bool = False) -> str:
    """`report` as one line of ASCII JSON.

    A tensor of more than MOST_ELEMENTS elements becomes its summary unless `full`.
    """
    return json.dumps(encoded(report, full), allow_nan=False, separators=(", ", ": "))


def encoded(value: Any, full: bool = True) -> Any:
    """A record or a value of one as what `json` writes strictly: dicts, lists, numbers."""
    if _is_record(type(value)):
        kind: Any = type(value)
        return {
            key: encoded(_fitting(getattr(value, name), tensor and not full), full)
            for name, key, tensor in _layout(kind)
        }
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [encoded(item, full) for item in value]
    if isinstance(value, dict):
        return {str(key): encoded(item, full) for key, item in value.items()}
    return _number(value)


def _fitting(value: Any, limited: bool) -> Any:
    if limited and isinstance(value, dict):
        return {key: at_most(item, MOST_ELEMENTS) for key, item in value.items()}
    return at_most(value, MOST_ELEMENTS) if limited else value


def _number(value: Any) -> Any:
    if isinstance(value, complex):
        return {"real": _number(value.real), "imag": _number(value.imag)}
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value


@cache
def _layout(record: type) -> tuple[tuple[str, str, bool], ...]:
    """Of each field of a record: its name, its key in JSON, whether it holds a tensor."""
    hints = get_type_hints(record)
    tensors = (Values, dict[str, Values])
    return tuple((name, name.rstrip("_"), hints[name] in tensors) for name, _ in _fields(record))


def _is_record(kind: Any) -> bool:
    return is_dataclass(kind) or hasattr(kind, "_fields")


def _fields(record: Any) -> list[tuple[str, bool]]:
    """The fields of a dataclass or a named tuple, and whether each must be given."""
    if is_dataclass(record):
        return [(f.name, f.default is MISSING and f.default_factory is MISSING) for f in fields(record)]
    return [(name, name not in record._field_defaults) for name in record._fields]


def from_json(text: str) -> Report:
    """The report that `to_json` wrote. Raises InputError AGX213 for anything else.

    Keys it does not know are ignored, so that a later agx may add some.
    """
    try:
        report: Report = _reader(Report)(_parsed(text))
        _check_links(report)
    except _Bad as bad:
        raise _refusal(str(bad)) from None
    except RecursionError:
        raise _refusal("it is nested too deeply") from None
    return report


def decoded(kind: type[_Record], data: Any) -> _Record:
    """The record that `encoded` turned into `data`. Raises ValueError for anything else."""
    try:
        made: _Record = _reader(cast(Any, kind))(data)
    except _Bad as bad:
        raise ValueError(str(bad)) from None
    return made


class _Bad(Exception):
    """What is wrong with a piece of a report; `path` grows on the way out."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.path = ""

    def __str__(self) -> str:
        return f"{self.path.lstrip('.') or 'it'} {self.args[0]}"

    def under(self, part: str) -> "_Bad":
        self.path = part + self.path
        return self


def _refusal(what: str) -> InputError:
    return InputError(
        "AGX213",
        f"This is not a report of agx: {what}.",
        hint="A report is what `agx trace SOURCE --json` prints.",
    )


def _parsed(text: str) -> dict[str, Any]:
    if len(text) > MOST_CHARACTERS:
        raise _Bad(f"has {len(text):,} characters, and at most {MOST_CHARACTERS:,} are read")
    if not text.strip():
        raise _Bad("is empty")
    try:
        data = json.loads(text, parse_constant=_not_strict)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _Bad(f"is not JSON: {error.msg} at {place}") from None
    except ValueError:
        raise _Bad("holds an integer of more digits than Python reads") from None
    if not isinstance(data, dict):
        raise _Bad(f"is {_kind(data)}, not an object")
    if data.get("schema") != SCHEMA:
        found = _kind(data["schema"]) if "schema" in data else "not there"
        raise _Bad(f'is {found}, and this agx reads "{SCHEMA}"').under("schema")
    return data


def _not_strict(word: str) -> None:
    raise _Bad(f'is not strict JSON: {word} stands where "{_strict(word)}" in quotes is meant')


def _strict(word: str) -> str:
    return {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}[word]


def _kind(data: Any) -> str:
    """A few words for a piece of JSON, short enough for a sentence."""
    if isinstance(data, dict):
        return "an object"
    if isinstance(data, list):
        return "a list"
    shown = json.dumps(data)
    return shown if len(shown) <= 40 else shown[:37] + "…"


_Reader = Callable[[Any], Any]


@cache
def _reader(hint: Any) -> _Reader:
    """What turns JSON into a value of type `hint`, or raises `_Bad`."""
    for known, reader in _SPECIAL:
        if hint == known:
            return reader
    if _is_record(hint):
        return _record_reader(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum_reader(hint)
    origin, args = get_origin(hint), get_args(hint)
    if origin is tuple:
        return _list_reader(args[0]) if args[-1] is Ellipsis else _fact
    if origin is dict:
        return _dict_reader(args[1])
    if origin in (Union, UnionType) and len(args) == 2 and args[1] is type(None):
        return _optional_reader(args[0])
    raise TypeError(f"no reader for {hint}")


def _record_reader(record: Any) -> _Reader:
    hints = get_type_hints(record)
    plan = [(name, name.rstrip("_"), needed, hints[name]) for name, needed in _fields(record)]

    def read(data: Any) -> Any:
        if not isinstance(data, dict):
            raise _Bad(f"is {_kind(data)}, not an object")
        found = {}
        for name, key, needed, hint in plan:
            if key in data:
                found[name] = _inside(f".{key}", _reader(hint), data[key])
            elif needed:
                raise _Bad("is missing").under(f".{key}")
        return record(**found)

    return read


def _inside(part: str, reader: _Reader, data: Any) -> Any:
    try:
        return reader(data)
    except _Bad as bad:
        raise bad.under(part) from None


def _enum_reader(words: type[Enum]) -> _Reader:
    table = {word.value: word for word in words}

    def read(data: Any) -> Any:
        if not isinstance(data, str) or data not in table:
            raise _Bad(f"is {_kind(data)}, not one of {', '.join(table)}")
        return table[data]

    return read


def _list_reader(item: Any) -> _Reader:
    def read(data: Any) -> Any:
        if not isinstance(data, list):
            raise _Bad(f"is {_kind(data)}, not a list")
        reader = _reader(item)
        return tuple(_inside(f"[{i}]", reader, piece) for i, piece in enumerate(data))

    return read


def _fact(data: Any) -> tuple[str, str]:
    """The two strings of a fact of an inspection: its name and what it is."""
    if isinstance(data, list) and [type(item) for item in data] == [str, str]:
        return (data[0], data[1])
    raise _Bad(f"is {_kind(data)}, not [name, text]")


def _dict_reader(item: Any) -> _Reader:
    def read(data: Any) -> Any:
        if not isinstance(data, dict):
            raise _Bad(f"is {_kind(data)}, not an object")
        reader = _reader(item)
        return {key: _inside(f".{key}", reader, piece) for key, piece in data.items()}

    return read


def _optional_reader(hint: Any) -> _Reader:
    return lambda data: None if data is None else _reader(hint)(data)


def _exact(kind: type, words: str) -> _Reader:
    def read(data: Any) -> Any:
        if type(data) is not kind:
            raise _Bad(f"is {_kind(data)}, not {words}")
        return data

    return read


def _float(data: Any) -> float:
    if isinstance(data, str) and data in _NOT_FINITE:
        return _NOT_FINITE[data]
    if type(data) is float:
        return data
    if type(data) is int and abs(data) < 10**300:
        return float(data)
    raise _Bad(f"is {_kind(data)}, not a number")


def _span(data: Any) -> Span:
    if isinstance(data, list) and [type(item) for item in data] == [int, int] and 0 <= data[0] <= data[1]:
        return (data[0], data[1])
    raise _Bad(f"is {_kind(data)}, not [start, end]")


def _values(data: Any, depth: int = 0) -> Values:
    if data is None or type(data) in (bool, int, float):
        return data
    if isinstance(data, list) and depth < MOST_DIMENSIONS:
        return tuple(_inside(f"[{i}]", lambda piece: _element(piece, depth), v) for i, v in enumerate(data))
    if isinstance(data, dict):
        return _complex(data) if "real" in data else _reader(Summary)(data)
    return _float(data)


def _element(data: Any, depth: int) -> Values:
    if data is None or (isinstance(data, dict) and "real" not in data):
        raise _Bad(f"is {_kind(data)}, not a number")
    return _values(data, depth + 1)


def _complex(data: dict[str, Any]) -> complex:
    parts = [_inside(f".{key}", _float, data.get(key)) for key in ("real", "imag")]
    return complex(*parts)


def _plain(data: Any) -> Any:
    """Evidence and the like: any JSON, with tuples for lists as the records have them."""
    if isinstance(data, list):
        return tuple(_plain(item) for item in data)
    if isinstance(data, dict):
        return {key: _plain(item) for key, item in data.items()}
    return data


_SPECIAL: tuple[tuple[Any, _Reader], ...] = (
    (Values, _values),
    (Span, _span),
    (Any, _plain),
    (str, _exact(str, "a string")),
    (int, _exact(int, "an integer")),
    (bool, _exact(bool, "true or false")),
    (float, _float),
)


def _check_links(report: Report) -> None:
    """Raise `_Bad` unless every node that the graph speaks of is one of its nodes."""
    graph = report.graph
    if graph is None:
        return
    ids = {node.id for node in graph.nodes}
    if len(ids) < len(graph.nodes):
        raise _Bad("has two nodes with one id").under("graph.nodes")
    used = [("graph.root", graph.root)] if graph.root is not None else []
    used += [(f"graph.edges[{i}]", end) for i, one in enumerate(graph.edges) for end in (one.from_, one.to)]
    used += [(f"graph.stretched[{i}].node", item.node) for i, item in enumerate(graph.stretched)]
    used += [(f"graph.paths[{i}].nodes", node) for i, path in enumerate(graph.paths) for node in path.nodes]
    for i, ends in enumerate(report.chain.leaves if report.chain else ()):
        shown = {ends.node, *ends.cut, *(node for way in ends.ways for node in way.nodes)}
        used += [(f"chain.leaves[{i}]", node) for node in sorted(shown)]
    for where, node in used:
        if node not in ids:
            raise _Bad(f"speaks of node {node}, which is not in graph.nodes").under(where)
