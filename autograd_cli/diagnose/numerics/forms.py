"""Expressions that lose digits, overflow or have no slope, and others equal to them that do not.

A row is a pattern and what takes its place, both in the language: capitals stand for any
operand, REST for what further arguments there are (a dim). Patterns are compared with the
calls of a run, so that names, methods and spellings of a function are all one.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations
from typing import Any, NamedTuple

from autograd_cli.diagnose import repair
from autograd_cli.diagnose.scene import Scene
from autograd_cli.errors import Span
from autograd_cli.lang import nodes
from autograd_cli.lang.nodes import Expr
from autograd_cli.report import Ref
from autograd_cli.run.tape import LiveStep


class Form(NamedTuple):
    """A pattern, and the text of an equal expression; `loses` says that the pattern cancels."""

    pattern: str
    better: str
    loses: bool = True


FORMS: tuple[Form, ...] = (
    Form("log(1 + exp(A)) - A", "F.softplus(-A)"),
    Form("log1p(exp(A)) - A", "F.softplus(-A)"),
    Form("F.softplus(A) - A", "F.softplus(-A)"),
    Form("log(1 + exp(A))", "F.softplus(A)"),
    Form("log1p(exp(A))", "F.softplus(A)"),
    Form("log(1 + exp(-A)) + A", "F.softplus(A)"),
    Form("log(1 / (1 + exp(-A)))", "F.logsigmoid(A)"),
    Form("log(1 / (1 + exp(A)))", "F.logsigmoid(-A)"),
    Form("log(sigmoid(A))", "F.logsigmoid(A)"),
    Form("log(1 - sigmoid(A))", "F.logsigmoid(-A)"),
    Form("log(1 - exp(A))", "log(-expm1(A))"),
    Form("log(softmax(A, REST))", "log_softmax(A, REST)"),
    Form("log(exp(A) / sum(exp(A), REST))", "log_softmax(A, REST)"),
    Form("A - log(sum(exp(A), REST))", "log_softmax(A, REST)"),
    Form("log(sum(exp(A), REST))", "logsumexp(A, REST)"),
    Form("log(exp(A) + exp(B))", "logaddexp(A, B)"),
    Form("log(prod(A, REST))", "log(A).sum(REST)"),
    Form("log(exp(A))", "A"),
    Form("log(A + 1) - log(A)", "log1p(1 / A)"),
    Form("log(1 + A)", "log1p(A)"),
    Form("log(1 - A)", "log1p(-A)"),
    Form("exp(A) - 1", "expm1(A)"),
    Form("1 - exp(A)", "-expm1(A)"),
    Form("(exp(A) - exp(-A)) / (exp(A) + exp(-A))", "tanh(A)"),
    Form("(exp(A) - exp(-A)) / 2", "sinh(A)"),
    Form("(exp(2 * A) - 1) / (exp(2 * A) + 1)", "tanh(A)"),
    Form("1 - cos(A)", "2 * sin(A / 2)**2"),
    Form("cos(A) - 1", "-2 * sin(A / 2)**2"),
    Form("cos(A)**2 - sin(A)**2", "cos(2 * A)"),
    Form("1 - sigmoid(A)", "sigmoid(-A)"),
    Form("1 - tanh(A)**2", "1 / cosh(A)**2"),
    Form("1 - tanh(A)", "2 * sigmoid(-2 * A)"),
    Form("1 - erf(A)", "erfc(A)"),
    Form("sqrt(1 + A) - 1", "A / (sqrt(1 + A) + 1)"),
    Form("1 - sqrt(1 - A)", "A / (1 + sqrt(1 - A))"),
    Form("1 - sqrt(1 + A)", "-A / (1 + sqrt(1 + A))"),
    Form("sqrt(A + B) - sqrt(A)", "B / (sqrt(A + B) + sqrt(A))"),
    Form("sqrt(A) - sqrt(A - B)", "B / (sqrt(A) + sqrt(A - B))"),
    Form("sqrt(A + B) - sqrt(A - C)", "(B + C) / (sqrt(A + B) + sqrt(A - C))"),
    Form("sqrt(A**2 + B) - A", "B / (sqrt(A**2 + B) + A)"),
    Form("A - sqrt(A**2 - B)", "B / (A + sqrt(A**2 - B))"),
    Form("sqrt(A) - sqrt(B)", "(A - B) / (sqrt(A) + sqrt(B))"),
    Form("1 / A - 1 / (A + B)", "B / (A * (A + B))"),
    Form("1 / (A - B) - 1 / A", "B / (A * (A - B))"),
    Form("1 / A - 1 / B", "(B - A) / (A * B)"),
    Form("A**2 - B**2", "(A - B) * (A + B)"),
    Form("mean(A**2, REST) - mean(A, REST)**2", "A.var(REST, correction=0)"),
    Form("(A + B) - A", "B"),
    Form("(A + B) - B", "A"),
    Form("A - (A - B)", "B"),
    Form("exp(A) / sum(exp(A), REST)", "softmax(A, REST)", False),
    Form("exp(A) / (1 + exp(A))", "sigmoid(A)", False),
    Form("exp(A) / (exp(A) + exp(B))", "sigmoid(A - B)", False),
    Form("1 / (1 + exp(-A))", "sigmoid(A)", False),
    Form("1 / (1 + exp(A))", "sigmoid(-A)", False),
    Form("F.binary_cross_entropy(sigmoid(A), B)", "F.binary_cross_entropy_with_logits(A, B)", False),
    Form("F.nll_loss(log(softmax(A, REST)), B)", "F.cross_entropy(A, B)", False),
    Form("exp(A) * exp(B)", "exp(A + B)", False),
    Form("exp(A) / exp(B)", "exp(A - B)", False),
    Form("sqrt(A**2)", "A.abs()", False),
    Form("sqrt(sum(A**2, REST))", "A.norm(REST)", False),
    Form("sqrt(var(A, REST))", "A.std(REST)", False),
    Form("sqrt(A**2 + B**2)", "hypot(A, B)", False),
)

_OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow"}
_BINDS = {ast.Add: 1, ast.Sub: 1, ast.Mult: 2, ast.Div: 2, ast.Pow: 3}
_EITHER = ("add", "mul")
_SAME = {"true_divide": "div", "divide": "div", "subtract": "sub", "multiply": "mul", "negative": "neg"}
_RESTS = ("dim", "keepdim")
_MOST = 20_000
"""Steps of a run beyond which no patterns are looked for."""


class Given(NamedTuple):
    """An operand as it is read: the step or number, and the step that reads it."""

    value: Any
    reader: int


@dataclass
class Match:
    """A form that a run's calls have: the step of its outermost call, its operands and the steps inside."""

    form: Form
    step: LiveStep
    operands: dict[str, Given]
    rest: tuple[Any, ...] = ()
    inside: set[int] = field(default_factory=set)


def matches(scene: Scene) -> Iterator[Match]:
    """The forms under the output, at each place the one that comes first in the table."""
    steps = [step for step in scene.run.steps if step.kind == "call" and step.function is not None]
    for step in steps if len(steps) <= _MOST else ():
        if step.index in scene.needed:
            tried = (_matched(scene, form, step) for form in _forms_of(step))
            found = next((match for match in tried if match is not None), None)
            if found is not None:
                yield found


@cache
def _by_root() -> dict[str, list[Form]]:
    """The forms by the function of their outermost call."""
    found: dict[str, list[Form]] = {}
    for form in FORMS:
        found.setdefault(_called(_tree(form.pattern)), []).append(form)
    return found


def _forms_of(step: LiveStep) -> Sequence[Form]:
    """The forms that a step may be the outermost call of."""
    name = "sqrt" if _power(step) == 0.5 else _name(step)
    return _by_root().get(name, ())


def _matched(scene: Scene, form: Form, step: LiveStep) -> Match | None:
    return next((trial for trial in _Matcher(scene, form, step).found() if _is_aligned(scene, trial)), None)


def _is_aligned(scene: Scene, match: Match) -> bool:
    """Whether a sum along a dim meets the elements that it is of: along the first it does, or kept."""
    if "softmax" not in match.form.better or "exp" not in match.form.pattern:
        return True
    given = match.operands["A"].value
    value = scene.run.steps[given.index].value if isinstance(given, Ref) else None
    ndim = getattr(value, "ndim", 1)
    said = dict(_named(match.rest))
    return ndim <= 1 or bool(said.get("keepdim")) or said.get("dim") in (0, -ndim, (0,), [0])


def _named(rest: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Further arguments by their names: what comes second is not a dim in every function."""
    for name, each in zip(_RESTS, rest, strict=False):
        yield each if isinstance(each, tuple) and _is_keyword(each) else (name, each)


@cache
def _tree(pattern: str) -> ast.expr:
    return ast.parse(pattern, mode="eval").body


def _called(tree: ast.expr) -> str:
    if isinstance(tree, ast.BinOp):
        return _OPERATORS[type(tree.op)]
    if isinstance(tree, ast.UnaryOp):
        return "neg"
    function = tree.func if isinstance(tree, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _name(step: LiveStep) -> str:
    name = step.function.name if step.function else ""
    return _SAME.get(name, name)


def _power(step: LiveStep) -> float | None:
    """The power that a step raises its first operand to, where it is written as a number."""
    if _name(step) in ("pow", "float_power") and len(step.args) == 2:
        return step.args[1] if isinstance(step.args[1], int | float) else None
    return 2 if _name(step) == "square" else 0.5 if _name(step) == "sqrt" else None


class _Matcher:
    """One pattern held against one step."""

    def __init__(self, scene: Scene, form: Form, step: LiveStep) -> None:
        self.scene, self.form, self.step = scene, form, step
        self.steps = scene.run.steps

    def found(self) -> Iterator[Match]:
        """The ways in which the pattern fits."""
        start = Match(self.form, self.step, {})
        yield from self._call(_tree(self.form.pattern), self.step, start)

    def _fits(self, tree: ast.expr, given: Given, so_far: Match) -> Iterator[Match]:
        if isinstance(tree, ast.Constant):
            if not isinstance(given.value, Ref) and given.value == tree.value:
                yield so_far
        elif isinstance(tree, ast.Name):
            yield from self._named(tree.id, given, so_far)
        elif isinstance(given.value, Ref):
            yield from self._call(tree, self.steps[given.value.index], so_far)

    def _named(self, name: str, given: Given, so_far: Match) -> Iterator[Match]:
        known = so_far.operands.get(name)
        if known is None:
            yield Match(self.form, self.step, {**so_far.operands, name: given}, so_far.rest, so_far.inside)
        elif self._same(known.value, given.value):
            yield so_far

    def _call(self, tree: ast.expr, step: LiveStep, so_far: Match) -> Iterator[Match]:
        if step.kind != "call":
            return
        inside = Match(so_far.form, so_far.step, so_far.operands, so_far.rest, so_far.inside | {step.index})
        for trees, givens in self._pairings(tree, step, inside):
            yield from self._all(trees, givens, inside)

    def _all(self, trees: Sequence[ast.expr], givens: Sequence[Given], so_far: Match) -> Iterator[Match]:
        if not trees:
            yield so_far
            return
        for each in self._fits(trees[0], givens[0], so_far):
            yield from self._all(trees[1:], givens[1:], each)

    def _pairings(
        self, tree: ast.expr, step: LiveStep, so_far: Match
    ) -> Iterator[tuple[Sequence[ast.expr], Sequence[Given]]]:
        """The parts of a pattern with the arguments of a step that they may stand for."""
        givens = [Given(each, step.index) for each in step.args]
        if isinstance(tree, ast.BinOp):
            yield from self._of_operator(tree, step, givens)
        elif isinstance(tree, ast.UnaryOp) and _name(step) == "neg":
            yield [tree.operand], givens[:1]
        elif isinstance(tree, ast.Call):
            if _called(tree) == "sqrt" and _power(step) == 0.5:
                yield tree.args, givens[:1]
            elif _called(tree) == _name(step):
                yield from self._of_call(tree, step, givens, so_far)

    def _of_operator(
        self, tree: ast.BinOp, step: LiveStep, givens: list[Given]
    ) -> Iterator[tuple[Sequence[ast.expr], Sequence[Given]]]:
        name = _called(tree)
        if name == "pow":
            if _power(step) == 2 or (
                _name(step) == "mul" and len(givens) == 2 and self._same(givens[0].value, givens[1].value)
            ):
                yield [tree.left], givens[:1]
        elif name == _name(step) and len(givens) == 2 and not step.kwargs:
            orders = permutations(givens) if name in _EITHER else [tuple(givens)]
            for order in orders:
                yield [tree.left, tree.right], order

    def _of_call(
        self, tree: ast.Call, step: LiveStep, givens: list[Given], so_far: Match
    ) -> Iterator[tuple[Sequence[ast.expr], Sequence[Given]]]:
        asked = [each for each in tree.args if not (isinstance(each, ast.Name) and each.id == "REST")]
        rest = (*(g.value for g in givens[len(asked) :]), *sorted(step.kwargs.items()))
        rest = tuple(each for each in rest if each is not None and each != ("dtype", None))
        if len(asked) == len(tree.args):
            if not rest and len(givens) == len(asked):
                yield asked, givens
            return
        if any(isinstance(each, Ref) for each in rest) or (so_far.rest and so_far.rest != rest):
            return
        so_far.rest = rest
        yield asked, givens[: len(asked)]

    def _same(self, one: Any, other: Any) -> bool:
        """Whether two operands are one value: the same step, or calls of the same on the same."""
        if not isinstance(one, Ref) or not isinstance(other, Ref):
            return type(one) is type(other) and bool(one == other)
        if one.index == other.index:
            return True
        first, second = self.steps[one.index], self.steps[other.index]
        if first.kind != "call" or _name(first) != _name(second) or first.function != second.function:
            return first.kind == second.kind == "binding" and first.name == second.name
        if first.held or len(first.args) != len(second.args) or first.kwargs != second.kwargs:
            return False
        return all(self._same(a, b) for a, b in zip(first.args, second.args, strict=True))


# Text


def edit(scene: Scene, match: Match) -> tuple[Span, str]:
    """The place of what was matched, and the better form with the person's own operands."""
    written = _Writer(scene, match).text(_tree(match.form.better), top=True)
    return match.step.expr.span, written


def shown(text: str) -> str:
    """A form's text as sentences have it: without what stands for further arguments."""
    return text.replace(", REST", "").replace("REST, ", "").replace("REST", "")


class _Writer:
    def __init__(self, scene: Scene, match: Match) -> None:
        self.scene, self.match = scene, match

    def text(self, tree: ast.expr, top: bool = False) -> str:
        """A part of the better form; in brackets where it is not one piece, unless it stands alone."""
        made = self._made(tree, top)
        return made if top or isinstance(tree, ast.Call | ast.Name | ast.Constant) else f"({made})"

    def _made(self, tree: ast.expr, alone: bool) -> str:
        if isinstance(tree, ast.BinOp):
            left, right = self._side(tree.left, tree.op), self._side(tree.right, tree.op, right=True)
            op = {ast.Add: " + ", ast.Sub: " - ", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}[type(tree.op)]
            return f"{left}{op}{right}"
        if isinstance(tree, ast.UnaryOp):
            return f"-{self.text(tree.operand)}"
        if isinstance(tree, ast.Name):
            return self._operand(tree.id, alone)
        if isinstance(tree, ast.Call):
            return self._called(tree)
        return ast.unparse(tree)

    def _side(self, tree: ast.expr, op: ast.operator, right: bool = False) -> str:
        """An operand of an operator, in brackets unless it binds more tightly."""
        made = self._made(tree, False)
        if not isinstance(tree, ast.BinOp):
            return made
        own, outer = _BINDS[type(tree.op)], _BINDS[type(op)]
        return f"({made})" if own < outer or (own == outer and right) else made

    def _called(self, tree: ast.Call) -> str:
        args = [text for each in tree.args if (text := self._argument(each))]
        args += [f"{each.arg}={ast.unparse(each.value)}" for each in tree.keywords]
        name = ast.unparse(tree.func)
        if isinstance(tree.func, ast.Attribute) and not name.startswith("F."):
            return f"{self.text(tree.func.value)}.{tree.func.attr}({', '.join(args)})"
        return f"{repair.spelled(self.scene.run.program, name)}({', '.join(args)})"

    def _argument(self, tree: ast.expr) -> str:
        if isinstance(tree, ast.Name) and tree.id == "REST":
            return self._rest()
        return self.text(tree, top=True)

    def _rest(self) -> str:
        """The further arguments, as keywords; a softmax has the dims of its operand without being told."""
        given = list(_named(self.match.rest or self._every()))
        if "softmax" in self.match.form.better:
            given = [(name, value) for name, value in given if name != "keepdim"]
        return ", ".join(f"{name}={value!r}" for name, value in given)

    def _every(self) -> tuple[Any, ...]:
        """The dims that a call reduces without being told, for one that must be told."""
        if self.match.form.better.startswith(("A.", "log(")):
            return ()
        value = self.match.operands["A"].value
        ndim = getattr(self.scene.run.steps[value.index].value, "ndim", 1) if isinstance(value, Ref) else 1
        return (0,) if ndim <= 1 else (tuple(range(ndim)),)

    def _operand(self, name: str, alone: bool) -> str:
        given = self.match.operands[name]
        node = self._node(given)
        if node is None:
            return repr(given.value)
        text = self.scene.source[node.span]
        tight = isinstance(node, (*repair.TIGHT, nodes.Number, nodes.Constant))
        return text if alone or tight else f"({text})"

    def _node(self, given: Given) -> Expr | None:
        steps = self.scene.run.steps
        if not isinstance(given.value, Ref):
            return None
        return self.scene.operand(steps[given.reader], steps[given.value.index])


def _is_keyword(value: tuple[Any, ...]) -> bool:
    return len(value) == 2 and isinstance(value[0], str)
