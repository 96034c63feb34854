"""Tensors asked for what they cannot give: data, one truth value, a gradient of whole numbers."""

import math
import re
from collections.abc import Iterator
from math import prod

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.facts import Case, sized
from autograd_cli.diagnose.given import given
from autograd_cli.diagnose.statements import expressions
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.functions.rows import Kind
from autograd_cli.lang.source import Source
from autograd_cli.report import Finding, Fix
from autograd_cli.report.values import shape_text
from autograd_cli.run.tape import Operand
from autograd_cli.run.values import dtype_name

_META_WORDS = (
    "meta tensor",
    "meta device",
    "register_meta function",
    "tensor.item() cannot be called on meta",
)
_TRUTH_WORDS = ("bool value of tensor", "boolean value of tensor")
_NUMBER_WORDS = (
    "cannot be converted to scalar",
    "only one element tensors can be converted",
    "0-dim tensors",
)
_GRAD_WORDS = ("dtype can require gradients", "complex dtype can require")


def no_data(case: Case) -> Finding | None:
    """AGX310 where the values of a meta tensor are asked for."""
    operand = next((o for o in case.tensors if o.value.is_meta), None)
    if operand is None or not case.says(*_META_WORDS):
        return None
    return case.finding(
        "AGX310",
        f"{drawing.quoted(operand.text)} is on the meta device: it has the shape "
        f"{shape_text(operand.value.shape)} and no values.",
        fix=tuple(_with_values(case)),
    )


def _with_values(case: Case) -> Iterator[Fix]:
    """The CPU in the place of each "meta" in the source, or of the device that was asked for."""
    source = case.run.program.source
    texts = (node for node in expressions(case.run.program) if isinstance(node, nodes.Text))
    metas = {node.span: source[node.span].replace("meta", "cpu") for node in texts if node.value == "meta"}
    if metas:
        yield Fix("where values are", repair.edited(source, metas))
    elif case.run.settings.device == "meta":
        yield Fix("run it where values are, for example with `-d cpu`")
    else:
        yield Fix("make it on a device with memory")


def truth(case: Case) -> Finding | None:
    """AGX315 where a tensor that does not have one element must count as true or false, or as a number."""
    as_truth, as_number = case.says(*_TRUTH_WORDS), case.says(*_NUMBER_WORDS)
    operand = next((o for o in case.tensors if o.value.numel() != 1), None)
    if operand is None or not (as_truth or as_number):
        return None
    count = operand.value.numel()
    wanted = "one truth value" if as_truth else "one number"
    return case.finding(
        "AGX315",
        f"{sized(operand)} has {count} elements, and {wanted} is needed here.",
        name="tensor-as-bool" if as_truth else "tensor-as-number",
        fix=_decided(case) if as_truth else (*_torchs_own(case), *_one_of(case, operand)),
        count=count,
    )


_ELEMENTWISE = {"and": "&", "or": "|"}


def _decided(case: Case) -> tuple[Fix, ...]:
    """The branch taken element by element where there is one, else all and any."""
    source, test = case.run.program.source, case.operands[0].expr
    if isinstance(test, nodes.Compare) and len(test.ops) > 1:
        return (Fix("element by element", repair.edited(source, {test.span: _unchained(source, test)})),)
    parent = _asking(case, test)
    if isinstance(parent, nodes.Conditional):
        parts = (source[parent.test.span], source[parent.then.span], source[parent.otherwise.span])
        chosen = repair.edited(source, {parent.span: f"{_spelled(case, 'where')}({', '.join(parts)})"})
        return (Fix("`where` chooses element by element", chosen),)
    if isinstance(parent, nodes.Boolean):
        joined = f" {_ELEMENTWISE[parent.op]} ".join(f"({source[o.span]})" for o in parent.operands)
        return (Fix("element by element", repair.edited(source, {parent.span: joined})),)
    return (Fix("true when all are", repair.suffixed(source, test, ".all()", case.failure.expr)),)


def _unchained(source: Source, test: nodes.Compare) -> str:
    """`a < x < b` as `(a < x) & (x < b)`."""
    texts = [source[repair.grouped(source, operand, test)] for operand in test.operands]
    links = zip(texts, test.ops, texts[1:], strict=False)
    return " & ".join(f"({left} {op} {right})" for left, op, right in links)


def _torchs_own(case: Case) -> tuple[Fix, ...]:
    """The source with torch's function of the same name in place of math's."""
    expr, function = case.failure.expr, case.function
    if function is None or not function.path.startswith("math.") or not hasattr(torch, function.name):
        return ()
    if not isinstance(expr, nodes.Call):
        return ()
    program = repair.edited(case.run.program.source, {expr.function.span: _spelled(case, function.name)})
    return (Fix("torch's function works on every element", program),)


def _one_of(case: Case, operand: Operand) -> Iterator[Fix]:
    """One number made of all elements, or all of them as a list, where Python's number is asked for."""
    source, expr = case.run.program.source, case.failure.expr
    if case.name not in ("item", "float", "int", "__float__", "__int__") or not isinstance(expr, nodes.Call):
        return
    if isinstance(expr.function, nodes.Attribute) and case.name == "item":
        before = expr.function.span.end - len(".item")
        total = repair.edited(source, {Span(before, before): ".sum()"})
        every = repair.renamed(source, expr, "tolist")
    else:
        total = repair.suffixed(source, operand.expr, ".sum()", expr)
        every = repair.edited(source, {expr.span: repair.followed(source, operand.expr, ".tolist()")})
    yield Fix("their sum", total)
    if every is not None:
        yield Fix("all of them, as a list", every)


def _asking(case: Case, test: nodes.Expr) -> nodes.Expr | None:
    """The expression that needs the truth value of `test`."""
    return next(
        (
            node
            for node in expressions(case.run.program)
            if isinstance(node, nodes.Conditional | nodes.Boolean)
            and any(child.span == test.span for child in nodes.children(node))
        ),
        None,
    )


def integer_grad(case: Case) -> Finding | None:
    """AGX404 where whole numbers or truth values are asked to require grad."""
    if not case.says(*_GRAD_WORDS):
        return None
    operand = case.tensors[0] if case.tensors else None
    what = (
        f"{drawing.quoted(operand.text)} is {dtype_name(operand.value.dtype)}" if operand else _made_of(case)
    )
    return case.finding(
        "AGX404",
        f"{what}: only floating and complex tensors have a gradient, since a whole number "
        "cannot change a little.",
        fix=_as_floats(case),
    )


def _made_of(case: Case) -> str:
    return f"{drawing.quoted(case.text)} makes whole numbers"


def _as_floats(case: Case) -> tuple[Fix, ...]:
    source, expr = case.run.program.source, case.failure.expr
    if case.tensors:
        return (Fix("as floating", repair.suffixed(source, case.tensors[0].expr, ".float()", expr)),)
    if not isinstance(expr, nodes.Call):
        return ()
    dtype = next((k for k in expr.keywords if k.name == "dtype"), None)
    if dtype is not None:
        return (Fix("as floating", repair.edited(source, {dtype.value.span: _spelled(case, "float32")})),)
    keyword = f"dtype={_spelled(case, 'float32')}"
    return (Fix("as floating", _keyword_added(source.text, expr, keyword)),)


def _spelled(case: Case, name: str) -> str:
    return repair.spelled(case.run.program, name)


def _keyword_added(text: str, call: nodes.Call, keyword: str) -> str:
    """The source with one more keyword at the end of a call that has arguments."""
    end = call.span.end - 1
    return f"{text[:end].rstrip()}, {keyword}{text[end:]}"


# Numbers where tensors are wanted


def number(case: Case) -> Finding | None:
    """AGX318 where a function of tensors is given a Python number or list."""
    named = re.search(r"argument '(\w+)'", case.words)
    meant = [each.operand for each in given(case) if named is not None and each.name == named[1]]
    plain = [o for o in (*meant, *case.operands) if isinstance(o.value, int | float | complex | list)]
    operand = next(iter(plain), None)
    if operand is None or not case.says("must be tensor, not") or case.says("numpy.ndarray"):
        return None
    kind = type(operand.value).__name__
    return case.finding(
        "AGX318",
        f"{drawing.quoted(operand.text)} is a Python {kind}, and `{case.name}` takes a tensor there.",
        fix=tuple(_made_tensor(case, operand)),
    )


def _made_tensor(case: Case, operand: Operand) -> Iterator[Fix]:
    source, expr = case.run.program.source, case.failure.expr
    alone, is_number = len(case.operands) == 1, isinstance(operand.value, int | float)
    if isinstance(expr, nodes.Call) and alone and is_number and hasattr(math, case.name):
        own = _spelled(case, f"math.{case.name}")
        yield Fix("Python's own", repair.edited(source, {expr.function.span: own}))
    value = operand.value
    text = source[operand.expr.span]
    number = f"{text}." if type(value) is int and text.isdigit() else text
    written = f"{_spelled(case, 'tensor')}({number})"
    yield Fix("as a tensor", repair.edited(source, {operand.expr.span: written}))


# Losses whose target has another shape


_SIZE_WORDS = ("target size", "batch_size", "0d or 1d target")


def target_shape(case: Case) -> Finding | None:
    """AGX316 where a loss wants a target of another shape than it was given."""
    if not _is_of_target(case) or class_column(case) is not None:
        return None
    given, target = case.tensors[:2]
    shapes = shape_text(given.value.shape), shape_text(target.value.shape)
    return case.finding(
        "AGX316",
        f"{drawing.quoted(given.text)} {shapes[0]} and its target {drawing.quoted(target.text)} {shapes[1]} "
        f"do not go together in `{case.name}`.",
        name="batch-size-mismatch" if case.says("batch_size") else "bce-target-size-mismatch",
        cause=drawing.columns([(drawing.label(o.text), shape_text(o.value.shape)) for o in (given, target)]),
        fix=_as_shaped(case, given.value, target.value),
    )


def _is_of_target(case: Case) -> bool:
    """Whether a loss complains of the sizes of its target."""
    return case.kind is Kind.LOSS and len(case.tensors) > 1 and case.says(*_SIZE_WORDS)


def _extra(scores: torch.Tensor, target: torch.Tensor) -> bool:
    """Whether class numbers have a dimension of one where the scores have their classes."""
    is_whole = not (target.is_floating_point() or target.is_complex())
    return is_whole and scores.dim() > 1 and target.shape == (scores.shape[0], 1, *scores.shape[2:])


def class_column(case: Case) -> Finding | None:
    """AGX333 where class numbers still have the dimension of the classes."""
    if not _is_of_target(case) or not _extra(case.tensors[0].value, case.tensors[1].value):
        return None
    given, target = case.tensors[:2]
    shapes = [shape_text(one.value.shape) for one in (given, target)]
    numbers = shape_text((target.value.shape[0], *target.value.shape[2:]))
    program = repair.suffixed(case.run.program.source, target.expr, ".squeeze(1)", case.failure.expr)
    return case.finding(
        "AGX333",
        f"The target {drawing.quoted(target.text)} has shape {shapes[1]}, where one class number a place is "
        f"{numbers} for scores {drawing.quoted(given.text)} {shapes[0]}.",
        cause=drawing.columns(
            [(drawing.label(given.text), shapes[0]), (drawing.label(target.text), shapes[1])]
        ),
        fix=(Fix("without the dimension of one", program),),
    )


def _as_shaped(case: Case, given: torch.Tensor, target: torch.Tensor) -> tuple[Fix, ...]:
    if prod(given.shape) != prod(target.shape) or case.says("batch_size"):
        return ()
    like, change = case.tensors[0], case.tensors[1]
    where = repair.followed(case.run.program.source, like.expr, "")
    program = repair.suffixed(case.run.program.source, change.expr, f".view_as({where})", case.failure.expr)
    return (Fix(f"{drawing.quoted(change.text)} in the shape of {drawing.quoted(like.text)}", program),)
