"""Arguments of a kind that a function does not take, and numbers or words outside of what it takes."""

import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

import numpy
import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import Case, described
from autograd_cli.diagnose.given import WANTED, Given, given
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Role
from autograd_cli.lang.nodes import Expr
from autograd_cli.lang.source import in_words, several
from autograd_cli.report import Finding, Fix

# Kinds

_OF_KINDS = (
    r"argument '(?P<name>\w+)'.* (?:must be|failed to unpack)", r"invalid combination of arguments",
    r"must be real number", r"cannot be interpreted as an integer", r"not supported between instances of",
    r"unsupported operand type", r"bad operand type", r"expected Tensor as element", r"has no len\(\)",
    r"is not (?:iterable|subscriptable|callable)", r"cannot unpack", r"invalid data type '",
    r"Could not infer dtype of", r"too many dimensions '", r"indices must be", r"only contain ints",
    r"must be (?:an? )?(?:int|integer|float|string|str|number|tuple|bool|None|Tensor)\b",
    r"a float is required", r"can't multiply sequence", r"can only concatenate", r"No conversion path",
    r"loop with signature matching", r"dtypes are not compatible", r"not supported for the input types",
    r"could not convert string", r"argument is not an integer", r"argument of type",
    r"(?:should|expected .* to) be a .*(?:tuple|list|int|float|bool|str)\b",
    r"'(?:NoneType|str|list|float|int)' object", r"only integer tensors of a single element",
    r"positional arguments? but", r"takes an iterable of", r"as a data type", r"support argument \d of type",
)  # fmt: skip
"""What torch, NumPy and Python say of an argument that is not of the kind they take."""

_KINDS = re.compile("|".join(_OF_KINDS), re.IGNORECASE)

_FITS: dict[Role, tuple[type, ...]] = {
    Role.TENSOR: (torch.Tensor, numpy.ndarray, int, float, complex),
    Role.TENSORS: (torch.Tensor, list, tuple),
    Role.NUMBER: (int, float, complex, torch.Tensor, numpy.generic),
    Role.INDEX: (int, torch.Tensor, slice, type(None), type(...), tuple, list, bool),
    Role.MASK: (torch.Tensor,),
    Role.TARGET: (torch.Tensor,),
    Role.DIM: (int, tuple, list),
    Role.SIZE: (int, tuple, list),
    Role.COUNT: (int, torch.Tensor, tuple, list),
    Role.FLAG: (bool,),
    Role.TEXT: (str,),
    Role.DTYPE: (torch.dtype, str),
    Role.DEVICE: (torch.device, str, int),
}
"""The Python types that an argument of each role may have."""


def kind(case: Case) -> Finding | None:
    """AGX344 where an argument is of a kind that the function does not take."""
    found = _KINDS.search(case.words)
    if found is None or not (
        isinstance(case.failure.error, TypeError | RuntimeError | ValueError | AttributeError)
    ):
        return None
    wrong = _wrong(case, found["name"] or "")
    if wrong is None:
        return None
    each, expr, value = wrong
    fixes = tuple(_mended(case, each, expr, value))
    said = f"{drawing.quoted(case.run.program.source[expr.span])} is {_what(value)}; {_takes(case, each)}."
    if _fits(each, value, expr is each.operand.expr):
        kinds = in_words([_what(operand.value) for operand in case.operands])
        said, fixes = f"`{case.name or case.text}` has no form that takes {kinds} like these.", ()
    return case.finding(
        "AGX344",
        said,
        cause=(*drawing.columns([described(operand) for operand in case.operands]), *_forms(case)),
        fix=fixes,
        argument=each.name,
    )


_MOST_FORMS = 3


def _forms(case: Case) -> list[str]:
    """The ways in which torch takes its arguments, where it tells them."""
    lines = [line.strip(" *") for line in str(case.failure.error).splitlines()[1:]]
    return [f"takes  {line}" for line in lines if line.startswith("(") and line != "()"][:_MOST_FORMS]


def _wrong(case: Case, name: str) -> tuple[Given, Expr, Any] | None:
    """The argument that is meant: the one that is named, else the first whose value does not fit its role."""
    arguments = given(case)
    named = [each for each in arguments if each.name == name and name]
    for each in (*named, *arguments):
        for expr, value in _own_parts(each):
            if not _fits(each, value, expr is each.operand.expr):
                return each, expr, value
    odd = [each for each in arguments if not isinstance(each.operand.value, torch.Tensor)]
    first = next(iter((*named, *odd, *arguments)), None)
    return None if first is None else (first, first.operand.expr, first.operand.value)


def _own_parts(each: Given) -> Iterator[tuple[Expr, Any]]:
    """The parts of an argument that must be of its kind: of a list of tensors its items as they are."""
    operand = each.operand
    is_listed = isinstance(operand.expr, nodes.Sequence) and isinstance(operand.value, list | tuple)
    if each.argument is not None and each.argument.role is Role.TENSORS and is_listed:
        return iter(zip(operand.expr.items, operand.value, strict=False))  # type: ignore[attr-defined]
    return _parts(operand.expr, operand.value)


def _parts(expr: Expr, value: Any) -> Iterator[tuple[Expr, Any]]:
    """The items of a list or tuple that is written out, innermost first, then the whole."""
    if isinstance(expr, nodes.Sequence) and isinstance(value, list | tuple):
        for item, part in zip(expr.items, value, strict=False):
            yield from _parts(item, part)
    yield expr, value


def _fits(each: Given, value: Any, is_whole: bool) -> bool:
    if each.argument is not None and each.argument.role is Role.TENSORS and not is_whole:
        return isinstance(value, torch.Tensor)
    if isinstance(value, list | tuple):
        role = each.argument.role if each.argument is not None else None
        return not is_whole or role not in (Role.NUMBER, Role.FLAG, Role.TENSOR, Role.TEXT)
    if each.argument is None:
        return isinstance(value, torch.Tensor | int | float | complex) or value is Ellipsis
    if value is None:
        return not each.argument.required and is_whole
    if isinstance(value, float) and each.argument.role in (Role.SIZE, Role.DIM, Role.COUNT, Role.INDEX):
        return False
    return isinstance(value, _FITS[each.argument.role])


_PLAIN = {str: "a text", type(None): "no value", list: "a list", tuple: "a tuple", bool: "a truth value"}


def _what(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return "a tensor"
    name = type(value).__name__
    return _PLAIN.get(type(value), f"an {name}" if name[0] in "aeiou" else f"a {name}")


def _takes(case: Case, each: Given) -> str:
    expr = case.failure.expr
    if isinstance(expr, nodes.Binary | nodes.Compare | nodes.Unary):
        op = expr.ops[0] if isinstance(expr, nodes.Compare) else expr.op
        return f"`{op}` takes tensors and numbers"
    called = f"`{case.name}`" if case.name else "what stands here"
    if each.argument is None:
        return f"{called} does not take that"
    plain = "numbers" if each.argument.role is Role.TENSOR else WANTED[each.argument.role]
    is_inside = isinstance(each.operand.value, list | tuple) and each.argument.role is Role.TENSOR
    wanted = plain if is_inside else WANTED[each.argument.role]
    return f"`{each.name}` of {called} is {wanted}"


def _mended(case: Case, each: Given, expr: Expr, value: Any) -> Iterator[Fix]:
    """A float as a whole number, a text that holds a number as that, else something of the right kind."""
    source, number = case.run.program.source, _number(value)
    role = each.argument.role if each.argument is not None else None
    if role is Role.TENSORS and isinstance(value, int | float | list):
        made = repair.spelled(case.run.program, "torch.tensor")
        yield Fix("as a tensor", repair.edited(source, {expr.span: f"{made}({source[expr.span]})"}))
    elif isinstance(value, float) and isfinite(value):
        yield Fix("a whole number", repair.edited(source, {expr.span: str(int(value))}))
    elif number:
        yield Fix("a number", repair.edited(source, {expr.span: number}))
    if not number and isinstance(value, str | None) and role in _SUCH_AS:
        text = _SUCH_AS[role]
        yield Fix(f"{WANTED[role].split(',')[0]}, such as {text}", repair.edited(source, {expr.span: text}))


_SUCH_AS = {
    Role.TENSOR: "1.",
    Role.NUMBER: "1.",
    Role.INDEX: "0",
    Role.DIM: "0",
    Role.SIZE: "1",
    Role.COUNT: "1",
    Role.FLAG: "True",
}


def _number(value: Any) -> str:
    """How the number is written that a text holds; empty for all else."""
    try:
        number = float(value) if isinstance(value, str) else None
    except ValueError:
        return ""
    if number is None or not isfinite(number):
        return ""
    return value.strip() if value.strip().lstrip("+-").isdigit() else repr(number)


# Counts

_OF_COUNTS = re.compile(
    r"takes (?:exactly |at most |at least |from )?\w+.* arguments? |unexpected keyword|multiple values for"
    r"|missing \d+ required|missing required argument|takes no (?:keyword )?arguments"
)


def count(case: Case) -> Finding | None:
    """AGX344 where more or fewer arguments are given than the function takes, or one by a name it has not."""
    if not _OF_COUNTS.search(case.words) or not isinstance(case.failure.error, TypeError):
        return None
    if any(not _fits(g, g.operand.value, True) for g in given(case) if g.argument is not None):
        return None  # torch counts those of another kind as too many
    takes = in_words([f"`{each.name}`" for each in (case.function.arguments if case.function else ())])
    given_ = several(len(case.operands), "argument")
    return case.finding(
        "AGX344",
        f"`{case.name or case.text}` is given {given_}{f'; it takes {takes}' if takes else ''}.",
        name="argument-count",
        cause=drawing.columns([described(operand) for operand in case.operands]) if case.operands else (),
        count=len(case.operands),
    )


# Values

_OF_VALUES = (
    r"must be (?:non-?negative|positive|non-?zero|greater|less|larger|smaller|at least|at most|between)",
    r"must be (?:in|one of|>|<|finite|even|odd|divisible|ascending|a multiple|an? (?:positive|even|odd))",
    r"ha(?:s|ve) to be (?:between|greater|in|at least|positive|non-negative)", r"must (?:all|not) be",
    r"should (?:not be zero|be (?:non-?negative|positive|greater|at least|at most|in|between|less|smaller))",
    r"should be one of", r"non-negative", r"negative dimension", r"step sign", r"divisible by",
    r"can(?:no|')?t be (?:negative|zero)", r"expects? .*(?:to be|in) (?:in|>|<|\(|\[|less|greater)",
    r"domain error", r"math range", r"by zero", r"not a valid", r"invalid", r"unknown", r"unrecogni[sz]ed",
    r"unsupported mode", r"expected reduction", r"only supports? modes?", r"is not supported for",
    r"out ?side", r"out of range", r"too (?:large|big|small)", r"is not in list", r"less than or equal",
    r"does not exist", r"at least one", r"positive output size",
    r"out of bounds", r"negative n\b", r"negative length", r"non-positive", r"cannot reshape",
    r"mismatching argument",
)  # fmt: skip
"""What is said of a number or a word that is of the right kind and not one of those that are taken."""

_VALUES = re.compile("|".join(_OF_VALUES), re.IGNORECASE)


def value(case: Case) -> Finding | None:
    """AGX345 where a number or a word is outside of what the function takes."""
    if not _VALUES.search(case.words):
        return None
    each, expr, wrong = _outside(case) or (None, None, None)
    if each is None or expr is None:
        return None
    called = f"`{case.name}`" if case.name else drawing.quoted(case.text)
    place = f"`{each.name}` " if each.name else ""
    return case.finding(
        "AGX345",
        f"{called} does not take {place}{case.run.program.source[expr.span].removesuffix('.')}.",
        cause=drawing.columns([described(operand) for operand in case.operands]),
        argument=each.name,
        value=wrong if isinstance(wrong, int | float | str) else None,
    )


_PLAINS = (int, float, str, complex)


def _outside(case: Case) -> tuple[Given, Expr, Any] | None:
    """The argument that the words are about: the one named or quoted in them, else the last plain one."""
    arguments = given(case)
    plain = [
        (each, expr, part)
        for each in arguments
        for expr, part in _parts(each.operand.expr, each.operand.value)
        if isinstance(part, _PLAINS) and not isinstance(part, bool)
    ]
    for one in plain:
        if re.search(rf"\b{re.escape(one[0].name or '?')}\b", case.words) and _quoted(case, one[2]):
            return one
    quoted = [one for one in plain if _quoted(case, one[2])]
    named = [one for one in plain if one[0].name and re.search(rf"\b{re.escape(one[0].name)}\b", case.words)]
    return next(iter((*quoted, *named, *reversed(plain))), None)


def _quoted(case: Case, part: Any) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(str(part))}(?![\w])", case.words) is not None
