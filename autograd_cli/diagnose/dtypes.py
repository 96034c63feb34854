"""Dtypes that torch does not mix, and dtypes that a function does not take."""

import re

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import Case
from autograd_cli.diagnose.given import given
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind, Role
from autograd_cli.lang.source import in_words
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.tape import Operand
from autograd_cli.run.values import dtype_name

_STRICT = {Kind.PRODUCT, Kind.LAYER, Kind.LINALG}
_MIXED_WORDS = (
    "same dtype",
    "expected scalar type",
    "should be the same",
    "found dtype",
    "but got dtype",
    "to have the same type",
    "does not match weight dtype",
    "expected object of scalar type",
)
_UNSUPPORTED = re.compile(
    r"not implemented for '\w+'|could not infer output dtype|[Ee]xpected a floating point"
    r"|only supports? floating|bool tensors?[, ].*not supported|floating point or complex"
)
_NAMES = {
    frozenset({"float64", "float32"}): "dtype-mismatch-double-float",
    frozenset({"float16", "float32"}): "dtype-mismatch-half-float",
    frozenset({"bfloat16", "float32"}): "dtype-mismatch-half-float",
}
_SHORT = {torch.float32: ".float()", torch.float64: ".double()", torch.float16: ".half()"}
_HALVES = {torch.float16, torch.bfloat16}


def mismatch(case: Case) -> Finding | None:
    """AGX304 where a function that does not promote was given tensors of two dtypes."""
    dtypes = {operand.value.dtype for operand in case.tensors}
    strict = case.kind in _STRICT and all(map(_floating, case.tensors))
    if len(dtypes) < 2 or not (strict or case.says(*_MIXED_WORDS)):
        return None
    keep, change = _keep_and_change(case.tensors)
    names = [f"{drawing.quoted(o.text)} is {dtype_name(o.value.dtype)}" for o in case.tensors[:3]]
    return case.finding(
        "AGX304",
        f"{in_words(names)}: {_called(case)} does not convert one to the other.",
        name=_NAMES.get(frozenset(map(dtype_name, dtypes)), "dtype-mismatch"),
        cause=_drawn(case),
        fix=(_converted(case, keep, change),),
        dtypes=[dtype_name(o.value.dtype) for o in case.tensors],
    )


def compared(case: Case) -> Finding | None:
    """AGX334 where a loss compares floating numbers with a target of whole ones and does not convert it."""
    target = next((g.operand for g in given(case) if g.name == "target"), None)
    scores = next((o for o in case.tensors if _floating(o)), None)
    mixed = case.says(*_MIXED_WORDS, "can't be cast to the desired output type")
    if case.kind is not Kind.LOSS or target is None or scores is None or not mixed:
        return None
    if not isinstance(target.value, torch.Tensor) or _floating(target):
        return None
    return case.finding(
        "AGX334",
        f"{drawing.quoted(target.text)} is {dtype_name(target.value.dtype)}; `{case.name}` compares it with "
        f"{drawing.quoted(scores.text)}, which is {dtype_name(scores.value.dtype)}.",
        cause=_drawn(case),
        fix=(_converted(case, scores, target),),
        dtypes=[dtype_name(o.value.dtype) for o in case.tensors],
    )


def _drawn(case: Case) -> tuple[str, ...]:
    """The tensors with their dtypes, the odd one marked."""
    rows = [
        (drawing.label(o.text), shape_text(o.value.shape), dtype_name(o.value.dtype)) for o in case.tensors
    ]
    return drawing.odd(rows, 2)


def _called(case: Case) -> str:
    expr = case.failure.expr
    return f"`{expr.op}`" if isinstance(expr, nodes.Binary) else f"`{case.name}`" if case.name else "torch"


def _keep_and_change(operands: tuple[Operand, ...]) -> tuple[Operand, Operand]:
    """The first operand of the dtype to keep, and the first that is to be converted.

    float32 is kept where it is among them: it is what weights and most data are. An
    int gives way to a float.
    """
    order = sorted(operands, key=lambda o: (o.value.dtype != torch.float32, not _floating(o)))
    keep = order[0]
    return keep, next(o for o in operands if o.value.dtype != keep.value.dtype)


def _floating(operand: Operand) -> bool:
    return bool(operand.value.is_floating_point() or operand.value.is_complex())


def _converted(case: Case, keep: Operand, change: Operand) -> Fix:
    source, parent = case.run.program.source, case.failure.expr
    suffix = _SHORT.get(keep.value.dtype, "")
    if isinstance(keep.expr, nodes.Name) or not suffix:
        suffix = f".to({repair.followed(source, keep.expr, '.dtype')})"
    program = repair.suffixed(source, change.expr, suffix, parent)
    return Fix(f"{drawing.quoted(change.text)} as {dtype_name(keep.value.dtype)}", program)


# A dtype that the function does not take at all


def unsupported(case: Case) -> Finding | None:
    """AGX314 where a function has no version for the dtype of its operands."""
    if not case.tensors or not _UNSUPPORTED.search(case.words):
        return None
    culprit = _named(case) or next((o for o in case.tensors if not _floating(o)), case.tensors[0])
    dtype = culprit.value.dtype
    return case.finding(
        "AGX314",
        f"{drawing.quoted(culprit.text)} is {dtype_name(dtype)}, which {_called(case)} does not take.",
        name="half-op-on-cpu" if dtype in _HALVES else "",
        cause=drawing.columns(
            [
                (drawing.label(o.text), shape_text(o.value.shape), dtype_name(o.value.dtype))
                for o in case.tensors
            ]
        ),
        fix=_supported(case, culprit),
        dtype=dtype_name(dtype),
    )


_MASK_WORDS = (
    "boolean tensor",
    "boolean mask",
    "bool tensor for",
    "mask to be bool",
    "mask should be",
    "mask must be",
)


def mask(case: Case) -> Finding | None:
    """AGX314 where a mask or a condition is not made of truth values."""
    arguments = {"mask", "condition", "test", "attn_mask"}
    named = [g.operand for g in given(case) if g.name in arguments]
    operands = [o for o in (*named, *case.tensors) if isinstance(o.value, torch.Tensor)]
    wrong = next((o for o in operands if o.value.dtype != torch.bool), None)
    if wrong is None or not case.says(*_MASK_WORDS) or case.name == "__getitem__":
        return None
    test = repair.suffixed(case.run.program.source, wrong.expr, ".bool()", case.failure.expr)
    return case.finding(
        "AGX314",
        f"{drawing.quoted(wrong.text)} is {dtype_name(wrong.value.dtype)}; what `{case.name}` chooses by is "
        "made of truth values, bool.",
        fix=(Fix("true where it is not 0", test),),
        dtype=dtype_name(wrong.value.dtype),
    )


_ANY = re.compile(
    r"dtypes?\b|scalar type|\b(?:Long|Half|Double|Bool|Float|BFloat16|Byte)\b|[Cc]omplex|[Ii]ntegral"
    r"|floating|int64|[Bb]oolean|types? other than|can't be cast|bool tensor|same type|cpu_half",
)


def refused(case: Case) -> Finding | None:
    """AGX314 where the words are about dtypes and the operands have no one that they could be about alone."""
    if not case.tensors or not _ANY.search(case.words):
        return None
    found = list(dict.fromkeys(dtype_name(o.value.dtype) for o in case.tensors))
    names = [f"{drawing.quoted(o.text)} is {dtype_name(o.value.dtype)}" for o in case.tensors[:3]]
    return case.finding(
        "AGX304" if len(found) > 1 else "AGX314",
        f"{in_words(names)}: {_called(case)} does not take {'these together' if len(found) > 1 else 'that'}.",
        cause=drawing.columns(
            [
                (drawing.label(o.text), shape_text(o.value.shape), dtype_name(o.value.dtype))
                for o in case.tensors
            ]
        ),
        dtypes=found,
    )


_TORCHS = {
    "Float": torch.float32,
    "Double": torch.float64,
    "Half": torch.float16,
    "BFloat16": torch.bfloat16,
    "Long": torch.int64,
    "Int": torch.int32,
    "Bool": torch.bool,
    "ComplexFloat": torch.complex64,
    "ComplexDouble": torch.complex128,
}
"""The dtypes by the names that torch's messages give them."""


def _named(case: Case) -> Operand | None:
    """The operand of the dtype that the words name."""
    name = re.search(r"not implemented for '(\w+)'|Got (\w+)$", case.words)
    dtype = _TORCHS.get(name[1] or name[2]) if name else torch.bool if case.says("bool tensor") else None
    return next((o for o in case.tensors if o.value.dtype == dtype), None)


def _supported(case: Case, culprit: Operand) -> tuple[Fix, ...]:
    source, expr = case.run.program.source, case.failure.expr
    if isinstance(expr, nodes.Binary) and expr.op == "^" and _floating(culprit):
        sides = [source[repair.grouped(source, o, expr)] for o in (expr.left, expr.right)]
        return (Fix("a power is `**` in Python", repair.edited(source, {expr.span: "**".join(sides)})),)
    if culprit.value.dtype == torch.float32 or culprit.value.is_complex():
        return ()
    alike = [o.expr for o in case.tensors if o.value.dtype == culprit.value.dtype]
    edits = {repair.grouped(source, e, expr): repair.followed(source, e, ".float()") for e in alike}
    whole = {span: repair.followed(source, e, ".long()") for span, e in zip(edits, alike, strict=True)}
    name = drawing.quoted(culprit.text)
    as_float = Fix(f"{name} as float32", repair.edited(source, edits))
    return (
        (as_float, Fix(f"{name} as int64", repair.edited(source, whole)))
        if _floating(culprit)
        else (as_float,)
    )


# Indices and class targets


_INDEX_WORDS = (
    "tensors used as indices must be long",
    "valid indices (got",
    "expected dtype int32/int64 for index",
    "expected dtype int32 or int64 for index",
    "expected target dtype to be long",
    "expected tensor for argument #1 'indices'",
    "only applicable to index tensor",
    "argument #2 'target'",
    "argument #3 'index'",
    "expected scalar type long",
)


def index(case: Case) -> Finding | None:
    """AGX313 where an index or a class target is not made of whole numbers."""
    if not case.says(*_INDEX_WORDS):
        return None
    roles = (Role.INDEX, Role.TARGET)
    meant = [g.operand for g in given(case) if g.argument is not None and g.argument.role in roles]
    held = [o for o in (*meant, *reversed(case.tensors)) if isinstance(o.value, torch.Tensor)]
    operand = next(filter(_floating, held), None)
    if operand is None or (case.kind is not Kind.LOSS and len(case.tensors) < 2 and case.name != "one_hot"):
        return _number_index(case)
    what = "a class target" if case.kind is Kind.LOSS else "an index"
    program = repair.suffixed(case.run.program.source, operand.expr, ".long()", case.failure.expr)
    return case.finding(
        "AGX313",
        f"{drawing.quoted(operand.text)} is {dtype_name(operand.value.dtype)}; {what} is a whole number, "
        "int64.",
        name="cross-entropy-target-dtype" if case.kind is Kind.LOSS else "",
        fix=(Fix(f"{drawing.quoted(operand.text)} as int64", program),),
        dtype=dtype_name(operand.value.dtype),
    )


def _number_index(case: Case) -> Finding | None:
    """AGX313 for a Python number such as 1.5 between the brackets."""
    wrong = next((o for o in case.operands[1:] if not isinstance(o.value, torch.Tensor)), None)
    if wrong is None:
        return None
    return case.finding(
        "AGX313", f"{drawing.quoted(wrong.text)} is no index: an index is a whole number, a slice or a mask."
    )
