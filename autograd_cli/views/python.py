"""A plain script that reproduces a run under torch alone."""

import re
from collections.abc import Iterator, Sequence, Set
from pathlib import PurePath

from autograd_cli.errors import AgxError
from autograd_cli.lang.nodes import Attribute, Call, Import, Name, Program, Sequence as Listed
from autograd_cli.lang.parse import TextLimits, parse
from autograd_cli.lang.source import Source, visible
from autograd_cli.lang.tokens import TokenKind, scan
from autograd_cli.lang.vocabulary import words
from autograd_cli.report.json import encoded
from autograd_cli.report.records import Binding, Output, Report, Summary, Values
from autograd_cli.views.pieces import one_line

PRELUDE = """\
import math, torch
from torch import *
from torch import nn, linalg, special, fft, optim, set_grad_enabled
import torch.nn.functional as F
from builtins import bool, complex, float, int, range
import builtins
def _either(name):
    own, theirs = getattr(builtins, name), getattr(torch, name)
    return lambda *a, **k: (theirs if _tensor(a, k) else own)(*a, **k)
def _tensor(a, k):
    return builtins.any(isinstance(v, torch.Tensor) for v in (*a[:1], k.get("input")))
abs, all, any, max, min, pow, round, sum = map(
    _either, "abs all any max min pow round sum".split())
"""
"""What a source without an import stands under."""

_OWN = "from builtins import abs, all, any, bool, complex, float, int, max, min, pow, range, round, sum\n"

_SEVERAL = frozenset(
    words(
        """
        max min sort topk median nanmedian mode kthvalue cummax cummin aminmax split chunk unbind tensor_split
        var_mean std_mean qr svd eig eigh lu slogdet frexp unique meshgrid
        """
    )
)
"""Functions that may give several results, of which agx looks at the first with a gradient."""

_CSV = """\
def _csv(path, part=""):
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    try:
        header, _ = [], [float(cell) for cell in rows[0]]
    except ValueError:
        header = [cell.strip() for cell in rows.pop(0)]
    if part:
        column = header.index(part) if part in header else int(part)
        return [float(row[column]) for row in rows]
    table = [[float(cell) for cell in row] for row in rows]
    return [row[0] for row in table] if len(table[0]) == 1 else table
"""
_ARRAY = """\
def _array(path, part=None):
    found = numpy.load(path)
    if not isinstance(found, numpy.ndarray):
        found = found[part or found.files[0]]
    return torch.from_numpy(numpy.array(found, dtype=found.dtype.newbyteorder("="), order="C"))
"""
_JSON = """\
def _json(path):
    with open(path, encoding="utf-8-sig") as file:
        return json.load(file)
"""
_USED = """\
def _used(path, attribute):
    path = os.path.abspath(path if path.endswith(".py") else os.path.join(path, "__init__.py"))
    names, folder = [os.path.basename(path)[:-3]], os.path.dirname(path)
    while os.path.exists(os.path.join(folder, "__init__.py")):
        names, folder = [os.path.basename(folder), *names], os.path.dirname(folder)
    sys.path.insert(0, folder)
    found = importlib.import_module(".".join(names).removesuffix(".__init__"))
    for name in attribute.split("."):
        found = getattr(found, name)
    return found() if isinstance(found, type) else found
"""
_NEEDED = {"_csv(": ("csv", _CSV), "_array(": ("numpy", _ARRAY), "_json(": ("json", _JSON)}


def python(report: Report) -> str:
    """The script: seed, bindings, modes and source; for an expression its backward and what to print."""
    program = _parsed(report.source)
    imports = program is not None and any(isinstance(each, Import) for each in program.statements)
    bindings = list(_bindings(report.bindings))
    parts = [
        f"# {_title(report)}: this run, under torch alone\n",
        *_heads(report, bindings, imports),
        "".join(f"{line}\n" for line in [*_targets(report), f"torch.manual_seed({report.seed})", *bindings]),
        *([_OWN] if imports and report.bindings else []),
        "".join(f"{line}\n" for line in _settings(report)),
        _under_modes(report, _source(report, program)),
        *([] if report.statements else [_backward(report)]),
    ]
    return "\n".join(part for part in parts if part)


def _parsed(text: str) -> Program | None:
    """The program of a source; None where it is none."""
    try:
        return parse(Source(text), TextLimits(max_text=1 << 30, max_nodes=1 << 30))
    except AgxError:
        return None


def _title(report: Report) -> str:
    name = {"": "", "-": "standard input"}.get(report.name, one_line(report.name))
    text = one_line(report.text or report.source)
    facts = [report.dtype, report.device, f"seed {report.seed}"]
    return " · ".join([name or (text if len(text) <= 60 else f"{text[:59]}…"), *map(one_line, facts)])


def _heads(report: Report, bindings: Sequence[str], imports: bool) -> Iterator[str]:
    """Imports, the prelude where the source or a binding needs it, and what reads files."""
    needed = [use for name, use in _NEEDED.items() if any(name in line for line in bindings)]
    needed += [("importlib, os, sys", _USED)] if report.targets else []
    names = [name for name, _ in needed] + ["torch"] * (imports and not report.bindings)
    yield "".join(f"import {name}\n" for name in names)
    if not imports or report.bindings:
        yield PRELUDE
    yield from (helper for _, helper in needed)


def _targets(report: Report) -> Iterator[str]:
    """A line for each callable of a person's own file, which is loaded under the seed too."""
    if report.targets:
        yield f"torch.manual_seed({report.seed})"
    for one in report.targets:
        if one.name.isidentifier():
            yield f"{one.name} = _used({one.file!r}, {one.attribute!r})"


def _bindings(bindings: Sequence[Binding]) -> Iterator[str]:
    """A line a name as it was typed, in the dtype of the run.

    A value that is made of earlier ones is made of what these were in torch's defaults: then all
    values are made in those first, from what was typed, and made again for the run.
    """
    names: set[str] = set()
    later = []
    sees = any(_names(one.text) & {each.name for each in bindings} for one in bindings)
    for one in bindings:
        if not one.name.isidentifier():
            yield f"# {one_line(one.name)} is no name"
            continue
        text, moved, dtype = _text(one), _moved(one), _dtype(one)
        if sees and (again := dtype not in _DEFAULTS) and not _is_literal(one):
            yield f"__{one.name} = {text}"
            text = f"__{one.name}"
        if not sees:
            yield f"{one.name} = {_value(one, text, names, dtype)}{moved}"
        else:
            yield f"{one.name} = {_value(one, text, names, 'float32' if one.converted else '')}"
            if again or moved:
                later.append(f"{one.name} = {_value(one, text, names, dtype) if again else one.name}{moved}")
        names.add(one.name)
    yield from later


_DEFAULTS = ("", "float32", "complex64")
"""What torch makes of numbers unless it is told, and of what is no number with digits."""


def _names(text: str) -> set[str]:
    return set() if text.startswith("@") else set(re.findall(r"[^\W\d]\w*", _typed(text)))


def _typed(text: str) -> str:
    """What was typed as a value, on one line and without comments."""
    blanks = {TokenKind.COMMENT: "", TokenKind.NEWLINE: " "}
    return one_line("".join(blanks.get(token.kind, token.text) for token in scan(text)))


def _text(one: Binding) -> str:
    """What was typed, or what reads the file that holds the value."""
    return _from_file(one) if one.text.startswith("@") else _typed(one.text)


def _is_literal(one: Binding) -> bool:
    """Whether numbers were typed, and nothing that is to be evaluated."""
    return not one.text.startswith("@") and not _names(one.text) - {"e", "j", "True", "False"}


def _value(one: Binding, text: str, earlier: Set[str], dtype: str) -> str:
    """What `text` stands for; of a tensor as one, of `dtype` where that is given."""
    if one.shape is None:
        return text
    made = f"torch.{'tensor' if _is_literal(one) else 'as_tensor'}({text}"
    made += f", dtype=torch.{dtype})" if dtype else ")"
    return made + (".clone()" if _names(one.text) & earlier else "")


def _dtype(one: Binding) -> str:
    """The dtype that a value with digits is made in; empty for any other."""
    floating = one.dtype.startswith(("float", "bfloat", "complex"))
    return one.dtype if one.shape is not None and floating and one.dtype.isidentifier() else ""


def _moved(one: Binding) -> str:
    """The device and the gradient of a tensor in this run."""
    if one.shape is None:
        return ""
    made = f".to({one.device!r})" if one.device != "cpu" else ""
    return f"{made}.requires_grad_()" if one.requires_grad else made


def _from_file(one: Binding) -> str:
    """What reads the file of a binding; standard input is written out, as far as the report has it."""
    reference = one.text[1:]
    if reference == "-":
        known = not isinstance(one.value, Summary)
        return _literal(one.value) if known else "__import__('json').load(__import__('sys').stdin)"
    path, part = _split(reference)
    asked = f", {part!r}" if part else ""
    suffix = PurePath(path).suffix.lower()
    if suffix == ".pt":
        return f"torch.load({path!r}, weights_only=True)" + (f"[{part!r}]" if part else "")
    reader = {".csv": "_csv", ".json": "_json"}.get(suffix, "_array")
    return f"{reader}({path!r}{asked})"


def _split(reference: str) -> tuple[str, str]:
    path, _, part = reference.rpartition(":")
    known = PurePath(reference).suffix.lower() in (".npy", ".npz", ".csv", ".json", ".pt")
    return (reference, "") if known or not path else (path, part)


def _literal(values: Values) -> str:
    """Values as Python writes them."""
    return re.sub(r"'(-?)(nan|inf)'", r"\1math.\2", repr(encoded(values)))


def _settings(report: Report) -> Iterator[str]:
    """What holds for the source alone: the dtype and the device of what it creates."""
    if report.default_dtype != "float32" and report.default_dtype.isidentifier():
        yield f"torch.set_default_dtype(torch.{report.default_dtype})"
    if report.device != "cpu":
        yield f"torch.set_default_device({report.device!r})"


def _source(report: Report, program: Program | None) -> str:
    """The source as it is written; an expression gets a name, and of several results one is taken."""
    text = report.source if report.statements else report.text or report.source
    lines = [visible(line.replace("\t", "    ")) for line in re.split(r"\r\n|\r|\n", text.strip("\r\n"))]
    if report.statements:
        return "".join(f"{line}\n" for line in lines)
    body = lines[0] if len(lines) == 1 else "\n".join(["(", *lines, ")"])
    name = _name(report)
    if program is None or not _may_be_several(program):
        return f"{name} = {body}\n"
    return (
        f"{name} = {body}\n"
        f"if not isinstance({name}, torch.Tensor):\n"
        f"    tensors = [each for each in {name} if isinstance(each, torch.Tensor)]\n"
        f"    {name} = ([each for each in tensors if each.requires_grad] or tensors or [{name}])[0]\n"
    )


def _may_be_several(program: Program) -> bool:
    body = program.body if program.is_expression else None
    if isinstance(body, Call):
        function = body.function
        named = function.id if isinstance(function, Name) else ""
        return (function.name if isinstance(function, Attribute) else named) in _SEVERAL
    return isinstance(body, Listed)


def _name(report: Report) -> str:
    """A name for the value that no binding has."""
    name = "out"
    while any(one.name == name for one in report.bindings):
        name += "_"
    return name


def _under_modes(report: Report, source: str) -> str:
    """The source inside the modes that the run was asked to be under."""
    modes = [f"torch.{report.mode}()"] if report.mode in ("no_grad", "inference_mode") else []
    if report.autocast.isidentifier():
        modes.append(f"torch.autocast({report.device.partition(':')[0]!r}, dtype=torch.{report.autocast})")
    for mode in modes:
        source = f"with {mode}:\n" + "".join(f"    {line}\n" for line in source.split("\n")[:-1])
    return source


def _backward(report: Report) -> str:
    """The backward of an expression's value, and prints of it and of the gradients."""
    name, output = _name(report), report.output
    lines = []
    if output is not None and output.requires_grad and output.shape is not None:
        lines.append(f"{name}.backward({_cotangent(report, output, name)})")
    lines += [f"print({name})"]
    leaves = [one.name for one in report.bindings if one.requires_grad and one.name.isidentifier()]
    lines += [f'print("{leaf}.grad =", {leaf}.grad)' for leaf in leaves]
    return "".join(f"{line}\n" for line in ["torch.set_printoptions(precision=8)", *lines])


def _cotangent(report: Report, output: Output, name: str) -> str:
    if report.grad_output and not report.grad_output.startswith("@"):
        return f"torch.as_tensor({_typed(report.grad_output)}, dtype={name}.dtype, device={name}.device)"
    if report.grad_output:
        return f"torch.tensor({_literal(output.gradient)}).to({name})"
    return "" if output.shape == () and "complex" not in output.dtype else f"torch.ones_like({name})"
