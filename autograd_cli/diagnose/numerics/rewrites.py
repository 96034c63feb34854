"""Rewrites of a place whose gradient is no number: tried one after the other, offered where they hold."""

from collections.abc import Iterator
from time import monotonic
from typing import NamedTuple

import torch

from autograd_cli.diagnose import repair
from autograd_cli.diagnose.numerics import forms
from autograd_cli.diagnose.numerics.births import Born, first, spoilt
from autograd_cli.diagnose.numerics.edges import Edge, edge, plain_name
from autograd_cli.diagnose.numerics.masks import chooser, condition
from autograd_cli.diagnose.numerics.offered import ALIKE, Found, as_exact, told
from autograd_cli.diagnose.numerics.played import Played
from autograd_cli.diagnose.numerics.proving import proof
from autograd_cli.diagnose.numerics.scales import in_bfloat16
from autograd_cli.diagnose.overflow import fits
from autograd_cli.diagnose.repair import edited
from autograd_cli.diagnose.scene import Scene
from autograd_cli.diagnose.statements import keyword_added
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Fix, Ref, below
from autograd_cli.run.tape import LiveStep

_DEPTH = 4
"""Rewrites that are made one after the other of one source."""

_TRIED = 24
"""Rewrites that are run for one finding."""

_SECONDS = 4.0
"""What is spent on them before the last one begins."""

_MOST = 2
"""Rewrites that are offered."""

_LONG = 36
"""Characters of an operand that is written out twice or more."""

_WIDER = {
    torch.float16: ("float", "float32"),
    torch.bfloat16: ("float", "float32"),
    torch.float32: ("double", "float64"),
    torch.complex64: ("cdouble", "complex128"),
}
"""The method that makes a dtype wider, and what it makes."""

_CASTS = ("half", "to", "type", "type_as")

_EPS = ("normalize", "cosine_similarity", "layer_norm", "batch_norm", "pairwise_distance")
"""Functions whose small number for the case of 0 is 0 itself in float16."""

_CLOSE = 1e-5
"""How far other elements may move, by the size of the largest, in a rewrite that is not exact."""


class Rewrite(NamedTuple):
    """Words and the edits of the source that they tell; `exact` where the number is the same everywhere."""

    words: str
    edits: dict[Span, str]
    exact: bool = False


def fixes(scene: Scene, one: Played) -> tuple[Fix, ...]:
    """The rewrites that leave all gradients finite and the other elements as they were, the closest first."""
    search = _Search(one)
    found = list(search.of(scene, one, "", 0))
    found = as_exact(found)
    found.sort(key=lambda each: (each.proof.worst > _CLOSE, each.depth))
    return tuple(Fix(told(each, one), each.program) for each in found[:_MOST])


class _Search:
    """Looks for rewrites, of what a rewrite leaves too, within a number of runs."""

    def __init__(self, before: Played) -> None:
        self.before, self.runs, self.end = before, 0, monotonic() + _SECONDS

    def of(self, scene: Scene, one: Played, words: str, depth: int, exact: bool = True) -> Iterator[Found]:
        """The rewrites that hold, each run."""
        count, seen = 0, set[str]()
        for rewrite in _candidates(scene, one):
            program = edited(scene.source, rewrite.edits)
            if self.runs >= _TRIED or count >= _MOST or monotonic() > self.end:
                return
            if program in seen:
                continue
            seen.add(program)
            for found in self._tried(scene, rewrite, program, (words, exact), depth):
                count += 1
                yield found

    def _tried(
        self, scene: Scene, rewrite: Rewrite, program: str, so_far: tuple[str, bool], depth: int
    ) -> Iterator[Found]:
        self.runs += 1
        made = proof(scene, self.before, program)
        if made is None or made.worst > ALIKE:
            return
        words, was_exact = so_far
        exact = was_exact and rewrite.exact
        said = f"{rewrite.words} as that" if rewrite.exact and not was_exact else rewrite.words
        all_said = "; ".join(dict.fromkeys(filter(None, (words, said))))
        if not made.bad:
            yield Found(all_said, program, made, depth, exact)
        elif depth + 1 < _DEPTH:
            yield from list(self.of(made.scene, made.played, all_said, depth + 1, exact))[:1]


def _candidates(scene: Scene, one: Played) -> Iterator[Rewrite]:
    """What may be written instead, the closest to what was meant first."""
    value, born = spoilt(one), first(one)
    steps = list(dict.fromkeys(each.step.index for each in (value, born) if each is not None))
    overflows = value is not None and value.value == value.value and _fits(scene, value.step)
    if born is not None:
        yield from _masked(scene, one, born)
    for step in map(scene.run.steps.__getitem__, steps):
        yield from _better(scene, step)
    chosen = chooser(one, born) if born is not None else None
    is_masked = chosen is not None and chosen.test is not None
    for step in map(scene.run.steps.__getitem__, steps):
        yield from _special(scene, one, step)
        if not overflows or _name(step) == "exp":
            yield from _at_edge(scene, one, step, is_masked)
    if overflows and value is not None:
        if _name(value.step) not in _CASTS:
            yield from _wider(scene, one, value.step)
        if value.step.value.dtype == torch.float16:
            yield Rewrite("bfloat16 holds as large numbers as float32", in_bfloat16(scene))


def _name(step: LiveStep) -> str:
    return plain_name(step.function.name) if step.function else ""


def _fits(scene: Scene, step: LiveStep) -> bool:
    """Whether a wider dtype holds what a step gives: it does what a cast is given."""
    return _name(step) in _CASTS or fits(scene, step)


# The better form


def _better(scene: Scene, step: LiveStep) -> Iterator[Rewrite]:
    """An equal expression without the trouble, where the step is a part of one that is known."""
    found = [match for match in forms.matches(scene) if step.index in match.inside | {match.step.index}]
    for match in sorted(found, key=lambda match: -len(match.inside)):
        span, text = forms.edit(scene, match)
        yield Rewrite(f"{text} is the same number", {span: text}, exact=True)


# A branch that is not taken


def _masked(scene: Scene, one: Played, born: Born) -> Iterator[Rewrite]:
    """The operand replaced where a `where` behind the step does not choose it."""
    row, step = _row(one, born.step), born.step
    found = chooser(one, born)
    chosen = condition(scene, found) if found is not None else None
    if row is None or chosen is None:
        return
    operand = _operand(scene, step, row)
    if operand is None:
        return
    where = repair.spelled(scene.run.program, "where")
    test, then = chosen
    inner = scene.source[operand.span]
    safe = f"{where}({test}, {inner}, {row.harmless})"
    if not then:
        safe = f"{where}({test}, {row.harmless}, {inner})"
    harmless = row.harmless.removesuffix(".")
    yield Rewrite(f"where the branch is not taken, its operand is {harmless} instead", {operand.span: safe})


# At the edge of a function


def _row(one: Played, step: LiveStep) -> Edge | None:
    return edge(step.function.name) if step.function is not None else None


def _operand(scene: Scene, step: LiveStep, row: Edge) -> Expr | None:
    """The node of the operand that a row speaks of."""
    given = [*step.args, *step.kwargs.values()]
    slot = row.slot if row.slot < len(given) else 0
    if slot >= len(given) or not isinstance(given[slot], Ref):
        return None
    side = scene.run.steps[given[slot].index]
    return scene.operand(step, side) if isinstance(side.value, torch.Tensor) else None


def _at_edge(scene: Scene, one: Played, step: LiveStep, is_masked: bool) -> Iterator[Rewrite]:
    row = _row(one, step)
    node = None if row is None else _operand(scene, step, row)
    if row is None or node is None:
        return
    row = _numbered(scene, one, step, row)
    if row.bound and _is_held(scene, node, row.bound):  # that was not enough
        return
    short = len(scene.source[node.span]) <= _LONG
    if step.function is not None and step.function.writes:
        yield from _written(scene, row, step)
    if row.value and short and not is_masked:
        yield _exact(scene, step, row, node)
    if row.bound:
        text = repair.followed(scene.source, node, f".{row.bound}")
        yield Rewrite("the operand is held away from there", {node.span: text})
    if not row.value:
        yield _instead(scene, row, node)


def _is_held(scene: Scene, node: Expr, bound: str) -> bool:
    """Whether an operand, or a part that it is computed from by an operator, has the bound already."""
    if isinstance(node, nodes.Binary):
        return _is_held(scene, node.left, bound) or _is_held(scene, node.right, bound)
    if isinstance(node, nodes.Unary):
        return _is_held(scene, node.operand, bound)
    return scene.source[node.span].endswith(f".{bound}")


def _written(scene: Scene, row: Edge, step: LiveStep) -> Iterator[Rewrite]:
    """A statement that works in place as one that gives its variable a new value."""
    expr = step.expr
    if not isinstance(expr, nodes.Call) or not isinstance(expr.function, nodes.Attribute) or not row.bound:
        return
    target = expr.function.value
    if isinstance(target, nodes.Name):
        args = scene.source.text[expr.function.span.end : expr.span.end]
        text = f"{target.id} = {target.id}.{row.bound}.{expr.function.name.removesuffix('_')}{args}"
        yield Rewrite("the operand is held away from there", {expr.span: text})


def _numbered(scene: Scene, one: Played, step: LiveStep, row: Edge) -> Edge:
    """The row with the numbers that fit the operand's dtype."""
    given = [*step.args, *step.kwargs.values()]
    ref = given[row.slot if row.slot < len(given) else 0]
    value = one.values[ref.index].detach()
    value = value.abs() if value.is_complex() else value
    limits = torch.finfo(torch.promote_types(value.dtype, torch.get_default_dtype()))
    least = 1e-12 if limits.smallest_normal < 1e-12 else 1e-4
    if "1 - " in row.bound or "1 + " in row.bound:
        least = {torch.float64: 1e-12, torch.float32: 1e-6}.get(value.dtype, 1e-2)
    well = value[value > 0]
    smallest = float(well.min()) if well.numel() else 1.0
    while least > smallest and least > limits.smallest_normal:
        least /= 10
    low, high = (-1e9, 88) if limits.max > 1e9 else (-1e4, 11)
    high = 709 if value.dtype == torch.float64 else high
    fill = {
        "e": f"{least:.0e}".replace("e-0", "e-"),
        "low": f"{low:.0e}".replace("e+0", "e"),
        "high": f"{high}.",
        "tiny": "1e-4" if limits.max < 1e9 else "1e-30",
    }
    bound, well, harmless = (_filled(text, fill) for text in (row.bound, row.well, row.harmless))
    return row._replace(bound=bound, well=well, harmless=harmless)


def _filled(text: str, fill: dict[str, str]) -> str:
    for name, value in fill.items():
        text = text.replace("{" + name + "}", value)
    for one in ("1 - ", "1 + "):
        for sign in ("-", ""):
            whole = f"{sign}{one}{fill['e']}"
            if whole in text:
                number = (-1 if sign else 1) + (1 if "+" in one else -1) * float(fill["e"])
                text = text.replace(whole, repr(number))
    return text


def _instead(scene: Scene, row: Edge, node: Expr) -> Rewrite:
    """The operand with a harmless one in place of what is at the edge or beyond it."""
    where = repair.spelled(scene.run.program, "where")
    inner = scene.source[node.span]
    safe = f"{where}({_condition(scene, row, node)}, {inner}, {row.harmless})"
    return Rewrite(row.words, {node.span: safe})


def _condition(scene: Scene, row: Edge, node: Expr) -> str:
    inner = scene.source[node.span]
    is_plain = isinstance(node, repair.TIGHT) or "abs(" in row.well
    return row.well.replace("{o}", inner if is_plain else f"({inner})")


def _exact(scene: Scene, step: LiveStep, row: Edge, node: Expr) -> Rewrite:
    """The function's own value at the edge, and a harmless operand there for the branch behind it."""
    source = scene.source
    where = repair.spelled(scene.run.program, "where")
    condition, inner = _condition(scene, row, node), source[node.span]
    start, end = step.expr.span
    before, after = source.text[start : node.span.start], source.text[node.span.end : end]
    inside = f"{before}{where}({condition}, {inner}, {row.harmless}){after}"
    text = f"{where}({condition}, {inside}, {row.value})"
    return Rewrite("no slope at the edge", {step.expr.span: text})


# Others


def _special(scene: Scene, one: Played, step: LiveStep) -> Iterator[Rewrite]:
    """What has its own words: a spread of one number, a mean of none, a mask of -inf."""
    name = step.function.name if step.function else ""
    if name in ("std", "var") and isinstance(step.expr, nodes.Call):
        text = scene.source[step.expr.span]
        comma = "" if text[:-1].rstrip().endswith("(") else ", "
        if "correction" not in text and "unbiased" not in text:
            new = f"{text[:-1].rstrip()}{comma}correction=0)"
            yield Rewrite("the spread of what there is, which is 0 of one number", {step.expr.span: new})
    if name == "mean" and isinstance(step.expr, nodes.Call) and not step.args[1:]:
        yield from _mean_of_none(scene, one, step)
    if name in _EPS and isinstance(step.expr, nodes.Call) and step.value.dtype == torch.float16:
        new = keyword_added(scene.source, step.expr, "eps=1e-4")
        yield Rewrite("an eps that float16 holds", {step.expr.span: new})
    yield from _finite_fill(scene, one, step)


def _mean_of_none(scene: Scene, one: Played, step: LiveStep) -> Iterator[Rewrite]:
    given = step.args[0]
    if not isinstance(given, Ref) or one.values[given.index].numel():
        return
    node = scene.operand(step, scene.run.steps[given.index])
    total = repair.followed(scene.source, node, ".sum()")
    count = repair.followed(scene.source, node, ".numel()")
    yield Rewrite(
        "the sum by the count, or by 1 where there is none", {step.expr.span: f"{total} / max({count}, 1)"}
    )


def _finite_fill(scene: Scene, one: Played, step: LiveStep) -> Iterator[Rewrite]:
    """A large negative number where -inf is written into what the step is given."""
    waiting, seen = list(below(step)), set[int]()
    while waiting:
        index = waiting.pop()
        each = scene.run.steps[index]
        if index in seen or each.kind == "binding":
            continue
        seen.add(index)
        waiting += below(each)
        if each.kind == "constant" and isinstance(each.value, float) and each.value == float("-inf"):
            half = isinstance(step.value, torch.Tensor) and step.value.dtype == torch.float16
            text = "-1e4" if half else "-1e9"
            yield Rewrite(f"{text} counts as nothing beside others, and is a number", {each.expr.span: text})


def _wider(scene: Scene, one: Played, step: LiveStep) -> Iterator[Rewrite]:
    """The operands in float64, where a number is too large for the dtype alone."""
    value = one.values[step.index]
    if not isinstance(value, torch.Tensor) or value.dtype not in _WIDER:
        return
    wider, kind = _WIDER[value.dtype]
    for index in dict.fromkeys(below(step)):
        operand = one.values[index]
        if isinstance(operand, torch.Tensor) and operand.requires_grad:
            node = scene.operand(step, scene.run.steps[index])
            text = repair.followed(scene.source, node, f".{wider}()")
            yield Rewrite(f"{kind} holds larger numbers", {node.span: text})
            return
