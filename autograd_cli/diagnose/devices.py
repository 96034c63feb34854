"""Operands on two devices, and devices that are not there."""

from collections import Counter
from collections.abc import Iterator

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import Case
from autograd_cli.diagnose.statements import expressions
from autograd_cli.errors import MissingError, Span
from autograd_cli.lang import nodes
from autograd_cli.lang.source import in_words
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.devices import choose
from autograd_cli.run.tape import Operand

_NOT_THERE = ("not compiled with", "no nvidia driver", "device ordinal", "mps", "xpu", "gpus are available")
"""What torch says of a device that it cannot use."""


def unusable(case: Case) -> Finding | None:
    """AGX601 where a tensor is put on a device that cannot be used here."""
    name = _asked(case) if case.says(*_NOT_THERE) else ""
    try:
        if name:
            choose(name)
    except MissingError as error:
        return case.finding("AGX601", error.sentence, fix=tuple(_where_there_is_one(case, name)), device=name)
    return None


def _asked(case: Case) -> str:
    """The device that a call asks for."""
    found = (str(o.value) for o in case.operands if isinstance(o.value, str | torch.device))
    asked = next((each for each in found if each.partition(":")[0] in _AVAILABLE), "")
    return asked or ("cuda" if case.name == "cuda" else "")


_AVAILABLE = {
    "cuda": "torch.cuda.is_available",
    "mps": "torch.backends.mps.is_available",
    "xpu": "torch.xpu.is_available",
}
"""How a program asks whether a kind of device is there."""


def _where_there_is_one(case: Case, name: str) -> Iterator[Fix]:
    """The source with the CPU in place of the device where that is not there."""
    source, program = case.run.program.source, case.run.program
    ask = repair.spelled(program, _AVAILABLE[name.partition(":")[0]])
    there = f'"{name}" if {ask}() else "cpu"'
    edits = {span: new for node in expressions(program) for span, new in _put(node, name, there)}
    if edits:
        yield Fix("the CPU where that is not there", repair.edited(source, edits))


def _put(node: nodes.Expr, name: str, there: str) -> Iterator[tuple[Span, str]]:
    """What to write in place of a text that names the device, and of `.cuda()`."""
    if isinstance(node, nodes.Text) and node.value == name:
        yield node.span, there
    function = node.function if isinstance(node, nodes.Call) else None
    if isinstance(function, nodes.Attribute) and function.name == name == "cuda":
        yield Span(function.span.end - len(name), node.span.end), f"to({there})"


def mismatch(case: Case) -> Finding | None:
    """AGX303 where the tensors of one call are not all on one device."""
    operands = [operand for operand in case.tensors if not _travels(operand)]
    devices = [str(operand.value.device) for operand in operands]
    if len(set(devices)) < 2:
        return None
    stay, move = _stay_and_move(operands)
    named = [o for o in operands if o is stay or o is move]
    names = [f"{drawing.quoted(o.text)} is on {o.value.device}" for o in named]
    return case.finding(
        "AGX303",
        f"{names[0]} and {names[1]}: one call needs all its tensors on one device.",
        cause=drawing.odd(
            [(drawing.label(o.text), shape_text(o.value.shape), str(o.value.device)) for o in operands], 2
        ),
        fix=(_moved(case, stay, operands),),
        devices=devices,
    )


def _travels(operand: Operand) -> bool:
    """Whether torch takes the operand wherever it is: a single number on the CPU."""
    return bool(operand.value.device.type == "cpu" and operand.value.ndim == 0)


def _stay_and_move(operands: list[Operand]) -> tuple[Operand, Operand]:
    """The first operand on the device where the others are going, and the first that must move.

    That is an accelerator where one is among them, since the CPU is where tensors are
    made; else the device of most.
    """
    counts = Counter(str(operand.value.device) for operand in operands)
    away = [d for d in counts if d != "cpu"]
    target = away[0] if len(away) == 1 else counts.most_common(1)[0][0]
    stay = next(o for o in operands if str(o.value.device) == target)
    move = next(o for o in operands if str(o.value.device) != target)
    return stay, move


def _moved(case: Case, stay: Operand, operands: list[Operand]) -> Fix:
    """Every operand that is elsewhere moved to where `stay` is."""
    source, parent = case.run.program.source, case.failure.expr
    place = f'"{stay.value.device}"'
    if isinstance(stay.expr, nodes.Name | nodes.Attribute):
        place = repair.followed(source, stay.expr, ".device")
    move = [o for o in operands if o.value.device != stay.value.device]
    edits = {
        repair.grouped(source, o.expr, parent): repair.followed(source, o.expr, f".to({place})") for o in move
    }
    names = in_words(list(dict.fromkeys(drawing.quoted(o.text) for o in move)))
    return Fix(f"{names} moved to {stay.value.device}", repair.edited(source, edits))
