"""Operands on two devices."""

from collections import Counter

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import Case
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.tape import Operand


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
        cause=drawing.columns(
            [(drawing.label(o.text), shape_text(o.value.shape), str(o.value.device)) for o in operands]
        ),
        fix=(_moved(case, stay, move),),
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


def _moved(case: Case, stay: Operand, move: Operand) -> Fix:
    source, parent = case.run.program.source, case.failure.expr
    where = repair.followed(source, stay.expr, ".device")
    if len(where) > 24:
        where = f'"{stay.value.device}"'
    program = repair.suffixed(source, move.expr, f".to({where})", parent)
    return Fix(f"{drawing.quoted(move.text)} moved to {stay.value.device}", program)
