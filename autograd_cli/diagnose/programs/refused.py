"""What torch refuses in a program beside backwards: writes into leaves, NumPy, inference tensors, flags."""

from collections.abc import Iterator

import torch

from autograd_cli.diagnose import drawing, repair
from autograd_cli.diagnose.programs.ended import Ended
from autograd_cli.diagnose.programs.moving import moved_behind
from autograd_cli.diagnose.programs.rewriting import not_in_place
from autograd_cli.diagnose.programs.trial import rerun
from autograd_cli.diagnose.programs.upstream import mode_around, sources
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.statements import called, indent_of, inserted, targets
from autograd_cli.errors import LimitError, Span
from autograd_cli.lang import nodes
from autograd_cli.report import Finding, Fix
from autograd_cli.run.tape import Operand

# In-place changes of leaves


def leaf(case: Ended) -> Finding | None:
    """AGX412 where a leaf that requires grad, or a view of one, is changed in place."""
    words = "a leaf Variable that requires grad", "a view of a leaf Variable that requires grad"
    if not case.says(*words):
        return None
    text = case.tensors[0].text if case.tensors else case.text
    is_view = case.says(words[1]) and not (case.tensors and case.tensors[0].value.is_leaf)
    what = "a view of a leaf" if is_view else "a leaf"
    return case.finding(
        "AGX412",
        f"{drawing.quoted(text)} is {what} that requires grad, and is changed in place while torch records: "
        "its old value would be lost to the graph.",
        name="leaf-view-inplace" if is_view else "",
        fix=(*_anew(case), *_unrecorded(case), *_behind_backward(case)),
    )


def _anew(case: Ended) -> Iterator[Fix]:
    """The call without the write, where its value is used: it is no update then."""
    alone = isinstance(case.statement, nodes.Evaluate) and case.statement.value is case.expr
    plain = "" if alone or not isinstance(case.expr, nodes.Call) else not_in_place(case.whole, case.expr)
    if plain:
        yield Fix(f"{case.where(case.expr.span)}:  {plain}", edited(case.source, {case.expr.span: plain}))


def _unrecorded(case: Ended) -> Iterator[Fix]:
    """The change as an update, under no_grad."""
    statement, source = case.statement, case.source
    start, end = statement.span
    line_start = source.text.rfind("\n", 0, start) + 1
    text = source[statement.span]
    line_end = source.text.find("\n", end)
    rest = source.text[end : line_end if line_end >= 0 else len(source.text)].split("#")[0]
    if "\n" in text or source.text[line_start:start].strip() or rest.strip():
        yield Fix("put the change under `with torch.no_grad():`, on lines of its own")
        return
    blank = indent_of(source, start)
    mode = f"with {_mode(case)}:"
    new = f"{mode}\n{blank}    {text}"
    yield Fix(f"line {case.line}:  {mode} {text}", edited(source, {statement.span: new}))


def _mode(case: Ended) -> str:
    return f"{repair.spelled(case.run.program, 'torch.no_grad')}()"


def _behind_backward(case: Ended) -> Iterator[Fix]:
    """The update under no_grad behind a backward that needs the old value."""
    place = case.statement.span.start
    for fix in _unrecorded(case):
        try:
            again = rerun(case.whole.ran, fix.program) if fix.program else None
        except LimitError:  # it takes too long to be tried
            return
        if again is None or again.failure is None:
            return
        other = Ended.of(again)
        if other.is_backward and other.source.text.startswith("with ", place):
            line = case.source.line_of(place)
            for moved in moved_behind(other.whole, Span(place, place), other.expr.span):
                behind = f"moved behind line {other.line - 1}, the backward"
                yield Fix(f"line {line}, under {_mode(case)}, {behind}", moved.program)


# NumPy


def reduced(case: Ended) -> Finding | None:
    """AGX442 where a function of NumPy is given a tensor to reduce, or a list of tensors with graphs."""
    first = next(iter(case.operands), None)
    if first is None or case.function is None or not case.function.path.startswith("numpy."):
        return None
    is_many = isinstance(first.value, list | tuple) and any(each.requires_grad for each in _tensors(first))
    is_one = isinstance(first.value, torch.Tensor) and case.says("unexpected keyword argument")
    if not (is_one or (is_many and case.says("call numpy() on"))):
        return None
    what = "a tensor" if is_one else "a list of tensors that have a graph"
    name = drawing.quoted(case.source[case.expr.function.span]) if isinstance(case.expr, nodes.Call) else "it"
    return case.finding(
        "AGX442",
        f"{drawing.quoted(first.text)} is {what}, and {name} is NumPy's: it asks for plain numbers, which no "
        "gradient goes through.",
        fix=tuple(_by_torch(case, first, is_many)),
    )


def _tensors(operand: Operand) -> list[torch.Tensor]:
    return [each for each in operand.value if isinstance(each, torch.Tensor)]


def _by_torch(case: Ended, operand: Operand, is_many: bool) -> Iterator[Fix]:
    """torch's function of the same name, of a list its elements put together."""
    if isinstance(case.expr, nodes.Call) and hasattr(torch, case.name):
        spelled = repair.spelled(case.run.program, f"torch.{case.name}")
        text = case.source[operand.expr.span]
        stacked = f"{repair.spelled(case.run.program, 'torch.stack')}({text})" if is_many else text
        edits = {case.expr.function.span: spelled, operand.expr.span: stacked}
        words = f"line {case.line}:  {spelled}({stacked}), for a value with its gradient"
        yield Fix(words, edited(case.source, edits))


def numpy(case: Ended) -> Finding | None:
    """AGX413 where NumPy is asked for the values of a tensor that requires grad."""
    if not case.says(
        "call numpy() on tensor that requires grad", "call numpy() on variable that requires grad"
    ):
        return None
    operand = case.tensors[0] if case.tensors else None
    text = operand.text if operand else case.text
    return case.finding(
        "AGX413",
        f"{drawing.quoted(text)} requires grad, and NumPy's arrays have no graph: leaving torch here would "
        "lose the way back without a word, so torch refuses.",
        fix=tuple(_outside(case, operand)),
    )


def _outside(case: Ended, operand: Operand | None) -> Iterator[Fix]:
    source = case.source
    if operand is None:
        return
    expr = operand.expr
    text = source[expr.span]
    tight = (
        text if isinstance(expr, nodes.Name | nodes.Attribute | nodes.Call | nodes.Subscript) else f"({text})"
    )
    program = edited(source, {expr.span: f"{tight}.detach()"})
    yield Fix(f"line {case.line}:  {tight}.detach(), for values without the graph", program)
    if isinstance(case.expr, nodes.Call) and source[case.expr.function.span].startswith("np."):
        new = repair.spelled(case.run.program, f"torch.{called(case.expr)}")
        own = edited(source, {case.expr.function.span: new})
        yield Fix(f"line {case.line}:  {new}({text}), for a value with its gradient", own)


# Inference tensors


def inference(case: Ended) -> Finding | None:
    """AGX414 where a tensor made in inference_mode takes part in a graph, or is changed outside of it."""
    if not case.says("inference tensor", "inferencemode"):
        return None
    operand = next((o for o in case.tensors if o.value.is_inference()), None)
    text = operand.text if operand else case.text
    is_write = case.says("inplace update", "in-place update")
    made = next(iter(sources(case.whole, operand.expr, case.statement.span.start)), None) if operand else None
    mode = mode_around(case.whole, made.statement) if made else None
    where = f" on {case.where(mode.span)}" if mode else ""
    return case.finding(
        "AGX414",
        f"{drawing.quoted(text)} was made in inference_mode{where}, and such tensors can never take "
        "part in a graph.",
        name="inference-tensor-inplace" if is_write else "",
        fix=tuple(_usable(case, mode, operand)),
    )


def _usable(case: Ended, mode: nodes.Expr | None, operand: Operand | None) -> Iterator[Fix]:
    source = case.source
    if mode is not None:
        text = source[mode.span].partition("(")[0].replace("inference_mode", "no_grad") + "()"
        yield Fix(f"{case.where(mode.span)}:  {text}", edited(source, {mode.span: text}))
    if operand is not None and isinstance(operand.expr, nodes.Name):
        line = f"{operand.text} = {operand.text}.clone()"
        program = inserted(source, case.statement, [line])
        yield Fix(f"or before line {case.line}:  {line}, an ordinary tensor", program)


# Flags


def flag(case: Ended) -> Finding | None:
    """AGX418 where requires_grad is switched off on a value that has a graph."""
    if not case.says("change requires_grad flags of leaf"):
        return None
    text = _flagged(case)
    line = f"{text} = {text}.detach()"
    fixes: tuple[Fix, ...] = ()
    if text.isidentifier():
        fixes = (Fix(f"line {case.line}:  {line}", edited(case.source, {case.statement.span: line})),)
    return case.finding(
        "AGX418",
        f"`{drawing.label(text, 40)}` is computed, and whether it requires grad follows from what it is "
        "computed from: only leaves can be told.",
        fix=fixes,
    )


def _flagged(case: Ended) -> str:
    if isinstance(case.statement, nodes.Assign):
        for target in case.statement.targets:
            if isinstance(target, nodes.Attribute):
                return case.source[target.value.span]
    return case.operands[0].text if case.operands else case.text


# Optimizers


def optimizer(case: Ended) -> Finding | None:
    """AGX421 where an optimizer is given something that it cannot step."""
    if case.says("optimize a non-leaf"):
        return _non_leaf(case)
    if case.says("empty parameter list"):
        return case.finding(
            "AGX421",
            "The optimizer is given no tensors: there is nothing to step.",
            name="optimizer-empty-parameters",
        )
    if case.says("params argument given to the optimizer"):
        return _alone(case)
    return None


def _non_leaf(case: Ended) -> Finding:
    given = [o for o in case.tensors if not o.value.is_leaf]
    name = given[0].text if given else case.text
    statement = next((s for s in reversed(case.whole.all_statements) if name in targets(s)), None)
    fixes: tuple[Fix, ...] = ()
    if isinstance(statement, nodes.Assign):
        value = case.source[statement.value.span]
        tight = value if isinstance(statement.value, nodes.Call | nodes.Name) else f"({value})"
        new = f"{tight}.detach().requires_grad_()"
        program = edited(case.source, {statement.value.span: new})
        fixes = (Fix(f"{case.where(statement.span)}:  {name} = {new}", program),)
    return case.finding(
        "AGX421",
        f"{drawing.quoted(name)} is computed, no leaf: a step would change a result, not what it comes from.",
        fix=fixes,
    )


def _alone(case: Ended) -> Finding:
    first = next((o for o in case.operands), None)
    fixes: tuple[Fix, ...] = ()
    if first is not None:
        new = f"[{first.text}]"
        fixes = (Fix(f"line {case.line}:  {new}", edited(case.source, {first.expr.span: new})),)
    return case.finding(
        "AGX421",
        f"{drawing.quoted(first.text if first else case.text)} is one tensor: an optimizer takes a list of "
        "them.",
        name="optimizer-single-tensor",
        fix=fixes,
    )
